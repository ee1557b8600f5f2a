/** Keys of a user are exchanged for temporary ones of an hour, which stay in memory. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { codeOf, messageOf } from '../../aws/errors.ts';
import { type Credentials, endpoint, logIn, region, session, useSession } from '../../aws/session.ts';
import { callerIdentity, sessionToken } from '../../aws/sts.ts';

interface Fault {
  field?: 'key' | 'secret' | 'token';
  text: string;
}

function faultOf(error: unknown): Fault {
  switch (codeOf(error)) {
    case 'InvalidClientTokenId':
    case 'UnrecognizedClientException':
      return { field: 'key', text: 'The server does not know this access key. Check it for a typing mistake.' };
    case 'SignatureDoesNotMatch':
    case 'InvalidSignatureException':
      return { field: 'secret', text: `The secret does not belong to this access key. ${messageOf(error)}` };
    case 'ExpiredToken':
    case 'ExpiredTokenException':
      return { field: 'token', text: 'The session token has expired. Get a new one.' };
    default:
      return { text: messageOf(error) };
  }
}

/** Static keys become temporary ones; where that is not allowed or they are temporary already, they are used as they are. */
async function exchange(given: Credentials): Promise<Credentials> {
  // Where keys are namespaces, a temporary key has another one.
  if (given.sessionToken || session.get().server?.Namespaces === 'key') return given;
  try {
    return await sessionToken(given);
  } catch (error) {
    if (/AccessDenied/.test(codeOf(error))) return given;
    throw error;
  }
}

function LoginForm({ onClose }: { onClose?: () => void }) {
  const now = useSession();
  const [key, setKey] = useState('');
  const [secret, setSecret] = useState('');
  const [token, setToken] = useState('');
  const [keep, setKeep] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | undefined>(now.loginNeeded ? { text: now.loginNeeded } : undefined);
  const local = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  const exposed = location.protocol === 'http:' && !local;

  const submit = async () => {
    if (!key.trim()) return setFault({ field: 'key', text: 'An access key is needed.' });
    if (!secret.trim()) return setFault({ field: 'secret', text: 'The secret is needed.' });
    setBusy(true);
    setFault(undefined);
    try {
      const given = { accessKeyId: key.trim(), secretAccessKey: secret.trim(), sessionToken: token.trim() || undefined };
      const identity = await callerIdentity(given);
      logIn(await exchange(given), identity, keep);
    } catch (error) {
      setFault(faultOf(error));
      setBusy(false);
    }
  };

  const errorOf = (field: Fault['field']) => (fault?.field === field ? fault?.text : undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Form
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {onClose && (
              <Button variant="link" formAction="none" onClick={onClose}>
                Not now
              </Button>
            )}
            <Button variant="primary" loading={busy}>
              Sign in
            </Button>
          </SpaceBetween>
        }
      >
        <SpaceBetween size="m">
          {exposed && (
            <Alert type="warning">
              This page came over plain HTTP. The secret is never sent, but replies can be read on the way. Use HTTPS beyond
              this machine.
            </Alert>
          )}
          {fault && !fault.field && <Alert type="error">{fault.text}</Alert>}
          <FormField label="Access key ID" errorText={errorOf('key')}>
            <Input value={key} autoFocus spellcheck={false} autoComplete="username" name="username" onChange={({ detail }) => setKey(detail.value)} />
          </FormField>
          <FormField label="Secret access key" errorText={errorOf('secret')}>
            <Input
              value={secret}
              type="password"
              autoComplete="current-password"
              name="password"
              onChange={({ detail }) => setSecret(detail.value)}
            />
          </FormField>
          <ExpandableSection headerText="Session token" defaultExpanded={fault?.field === 'token'}>
            <FormField label="Session token" description="Only for temporary credentials." errorText={errorOf('token')}>
              <Input value={token} type="password" autoComplete={false} onChange={({ detail }) => setToken(detail.value)} />
            </FormField>
          </ExpandableSection>
          <Checkbox
            checked={keep}
            onChange={({ detail }) => setKeep(detail.checked)}
            description="Temporary credentials only, for at most an hour. Otherwise a reload asks again."
          >
            Stay signed in when this tab is reloaded
          </Checkbox>
          <Box fontSize="body-s" color="text-body-secondary">
            Server {endpoint()}, region {region(now)}. The secret signs requests in this page and never leaves it. An administrator makes access keys with <code>partita user key create</code>.
          </Box>
        </SpaceBetween>
      </Form>
    </form>
  );
}

export default function Login({ over }: { over?: boolean }) {
  if (over) {
    const close = () => session.set((before) => ({ ...before, loginNeeded: undefined }));
    return (
      <Modal visible header="Sign in again" onDismiss={close} closeAriaLabel="Close">
        <LoginForm onClose={close} />
      </Modal>
    );
  }
  return (
    <div className="login">
      <Container header={<Header variant="h1">Sign in to Partita</Header>}>
        <LoginForm />
      </Container>
    </div>
  );
}
