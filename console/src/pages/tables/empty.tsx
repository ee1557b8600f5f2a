import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { href, navigate } from '../../app/router.ts';
import { endpoint, region, useSession } from '../../aws/index.ts';
import { CodeBlock, Page, WriteButton } from '../../components/index.ts';
import { LoadSample } from './sample.tsx';

/** What a new server shows. */
export function EmptyTables() {
  const session = useSession();
  const verified = session.server?.Mode === 'verified';
  return (
    <Page title="Tables" counter="(0)">
      <Container header={<Header variant="h2">This {session.namespace ? 'namespace' : 'server'} has no tables yet</Header>}>
        <SpaceBetween size="l">
          <SpaceBetween direction="horizontal" size="xs">
            <WriteButton variant="primary" onClick={() => navigate(href('tables/new'))}>
              Create table
            </WriteButton>
            <LoadSample />
          </SpaceBetween>
          <div>
            <Box variant="h3">Or from a program</Box>
            <p>Any DynamoDB client works. With the AWS CLI{verified && ' and your access key'}:</p>
            <CodeBlock
              label="Commands"
              text={
                `export AWS_ENDPOINT_URL_DYNAMODB=${endpoint()} AWS_REGION=${region(session)} ${verified ? 'AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…' : 'AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any'}\n` +
                'aws dynamodb create-table --table-name Music --billing-mode PAY_PER_REQUEST \\\n' +
                '  --attribute-definitions AttributeName=Artist,AttributeType=S AttributeName=Song,AttributeType=S \\\n' +
                '  --key-schema AttributeName=Artist,KeyType=HASH AttributeName=Song,KeyType=RANGE'
              }
            />
          </div>
        </SpaceBetween>
      </Container>
    </Page>
  );
}
