import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { describeServer } from '../aws/describe.ts';
import { endpoint } from '../aws/session.ts';

export default function Unreachable({ fault }: { fault: Error }) {
  const network = fault instanceof TypeError;
  return (
    <Alert
      type="error"
      header={network ? `No server answers at ${endpoint()}` : `The server at ${endpoint()} refused the console`}
      action={<Button onClick={() => void describeServer()}>Try again</Button>}
    >
      {network ? 'Is it running? partita serve starts it.' : fault.message}
    </Alert>
  );
}
