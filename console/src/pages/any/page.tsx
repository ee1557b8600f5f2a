/** Any operation as JSON: the body goes out as it is typed, and the reply is shown as it came. */
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useRef, useState } from 'react';
import { callText, type ServiceError, useReadOnly } from '../../aws/index.ts';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { useQueryState } from '../../app/router.ts';
import { CodeBlock, ErrorBox, formatBytes, Page, RequestPreview, tablesChanged, TextEditor } from '../../components/index.ts';
import { isObject, parseJson, printJson } from '../../values/index.ts';
import { byName, operations } from './operations.ts';

interface Outcome {
  text: string;
  milliseconds: number;
  bytes: number;
}

export default function AnyOperation() {
  const [name, setName] = useQueryState('operation', 'ListTables');
  const locked = useReadOnly();
  const operation = byName(name);
  const [bodies, setBodies] = useState<Record<string, string>>({});
  const body = (Object.hasOwn(bodies, name) ? bodies[name] : undefined) ?? operation.template;
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<ServiceError | Error>();
  const shown = useRef(name);
  shown.current = name;
  const refused = locked && operation.kind !== 'read';

  const fault = useMemo(() => {
    try {
      return isObject(parseJson(body)) ? undefined : 'The body is an object: {…}.';
    } catch (problem) {
      return (problem as Error).message;
    }
  }, [body]);

  const change = (text: string) => setBodies((before) => ({ ...before, [name]: text }));
  const send = async () => {
    if (busy || refused) return;
    setBusy(true);
    const start = performance.now();
    // A reply that comes after another operation was chosen belongs to that one no longer.
    const current = () => shown.current === name;
    try {
      const reply = await callText(operation.target, body, { noRetries: true });
      if (current()) {
        setOutcome({ text: pretty(reply.text), milliseconds: performance.now() - start, bytes: reply.text.length });
        setError(undefined);
      }
      if (operation.kind === 'control') tablesChanged();
    } catch (problem) {
      if (current()) {
        setError(problem as Error);
        setOutcome(undefined);
      } else notify({ type: 'error', header: `${name} was refused`, content: (problem as Error).message });
    }
    setBusy(false);
  };
  useKeys([{ keys: 'Ctrl+Enter', does: 'Send the request', run: () => void send() }]);

  return (
    <Page title="Any operation" description="Each operation of the server, with its request and reply in JSON.">
      <Grid gridDefinition={[{ colspan: { default: 12, m: 6 } }, { colspan: { default: 12, m: 6 } }]}>
        <Container header={<Header variant="h2">Request</Header>}>
          <SpaceBetween size="m">
            <FormField label="Operation" stretch>
              <Select
                selectedOption={{ value: name, label: name }}
                filteringType="auto"
                options={operations.map((group) => ({
                  label: group.service,
                  options: group.operations.map((each) => ({ value: each.name, label: each.name })),
                }))}
                onChange={({ detail }) => {
                  setName(detail.selectedOption.value!);
                  setOutcome(undefined);
                  setError(undefined);
                }}
              />
            </FormField>
            <FormField label="Body" errorText={fault} stretch>
              <TextEditor label="Body" value={body} onChange={change} onRun={() => void send()} invalid={!!fault} rows={16} />
            </FormField>
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                variant="primary"
                loading={busy}
                disabled={refused}
                disabledReason="Read-only is on, and this operation may change something."
                onClick={() => void send()}
              >
                Send
              </Button>
              <Button disabled={!!fault} onClick={() => change(pretty(body))}>
                Format
              </Button>
              <Button disabled={bodies[name] === undefined} onClick={() => change(operation.template)}>
                Reset
              </Button>
            </SpaceBetween>
            {!fault && !operation.target.includes('Partita_') && (
              <RequestPreview folded request={{ operation: name, input: JSON.parse(body) as object }} height="short" />
            )}
          </SpaceBetween>
        </Container>
        <Container
          header={
            <Header
              variant="h2"
              description={
                outcome && (
                  <span data-testid="outcome">
                    <Badge color="green">HTTP 200</Badge> {outcome.milliseconds.toFixed(1)} ms · {formatBytes(outcome.bytes)}
                  </span>
                )
              }
            >
              Reply
            </Header>
          }
        >
          {error && <ErrorBox error={error} header={`${name} was refused`} />}
          {outcome && <CodeBlock text={outcome.text} label="Reply" />}
          {!error && !outcome && <Box color="text-body-secondary">Send the request to see the reply here. Ctrl+Enter sends it.</Box>}
        </Container>
      </Grid>
    </Page>
  );
}

function pretty(text: string): string {
  try {
    return printJson(parseJson(text));
  } catch {
    return text;
  }
}
