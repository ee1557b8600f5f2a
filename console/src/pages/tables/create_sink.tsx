/** The dialog that creates a sink. What the console cannot do is in the command that it shows. */
import Alert from '@cloudscape-design/components/alert';
import Checkbox from '@cloudscape-design/components/checkbox';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { notify } from '../../app/notices.ts';
import { callPartita } from '../../aws/index.ts';
import { CodeBlock, Dialog, ErrorBox, TextEditor, useSubmit, WriteButton } from '../../components/index.ts';
import { newSink, onlyByCommand, sinkCommand, type SinkFaults, type SinkForm, sinkFaults, sinkInput } from './sink_form.ts';
import { kindsOf, type Scheme, schemeOf, type SinkKind, type SinkOption } from './sink_kinds.ts';
import type { Sink } from './sink_state.ts';

interface Props {
  table: string;
  schemes: Scheme[];
  onClose: () => void;
  onCreated: () => void;
}

export function CreateSink({ table, schemes, onClose, onCreated }: Props) {
  const kinds = kindsOf(schemes);
  const [chosen, setChosen] = useState(kinds[0]!.id);
  const [form, setForm] = useState(newSink);
  const { busy, error, submit } = useSubmit();
  const change = (part: Partial<SinkForm>) => setForm((before) => ({ ...before, ...part }));
  const kind = kinds.find((each) => each.id === chosen) ?? kinds[0]!;
  const faults = sinkFaults(form, kind);
  const fault = Object.values(faults)[0];
  const command = onlyByCommand(form, kind, table);
  const input = fault ? undefined : sinkInput(form, kind, table);
  const create = async () => {
    const made = await callPartita<{ Sink: Sink }>('CreateSink', input!);
    notify({ type: 'success', content: `Sink ${made.Sink.SinkName} is created.` });
    onCreated();
    onClose();
  };
  // A URL of another kind chooses that kind.
  const setUrl = (url: string) => {
    change({ url });
    const found = kinds.find((each) => each.schemes.includes(schemeOf(url)));
    if (found) setChosen(found.id);
  };
  return (
    <Dialog
      title={`Create a sink of ${table}`}
      size="large"
      onClose={onClose}
      action={
        <WriteButton
          variant="primary"
          loading={busy}
          disabled={!!fault || !!command}
          disabledReason={fault ?? command}
          onClick={() => void submit(create)}
          data-testid="save"
        >
          Create
        </WriteButton>
      }
    >
      <div className="two">
        <FormField label="Kind">
          <Select
            selectedOption={{ value: kind.id, label: kind.label }}
            options={kinds.map((each) => ({ value: each.id, label: each.label }))}
            onChange={({ detail }) => setChosen(detail.selectedOption.value!)}
          />
        </FormField>
        <FormField label={<>Name <i>– optional</i></>} errorText={faults.name}>
          <Input value={form.name} placeholder={schemeOf(form.url).replace(/\+.*$/, '') || kind.id} spellcheck={false} onChange={({ detail }) => change({ name: detail.value })} />
        </FormField>
      </div>
      <FormField label="URL" description={kind.hint} errorText={form.url && faults.url} stretch>
        <Input value={form.url} placeholder={kind.example} spellcheck={false} onChange={({ detail }) => setUrl(detail.value)} />
      </FormField>
      {kind.changes ? <ChangeFields kind={kind} form={form} change={change} faults={faults} /> : <SearchFields form={form} change={change} />}
      <FilterFields form={form} change={change} faults={faults} />
      <CommandFields kind={kind} form={form} change={change} table={table} />
      {command && <Alert type="info">{command}</Alert>}
      <CodeBlock text={sinkCommand(form, kind, table)} label="Command" height="short" />
      {input && (
        <ExpandableSection headerText="CreateSink as JSON">
          <CodeBlock text={JSON.stringify(input, null, 2)} label="Request as JSON" height="short" />
        </ExpandableSection>
      )}
      <ErrorBox error={error} header="The sink was not created" />
    </Dialog>
  );
}

interface Part {
  form: SinkForm;
  change: (part: Partial<SinkForm>) => void;
}

function ChangeFields({ kind, form, change, faults }: Part & { kind: SinkKind; faults: SinkFaults }) {
  if (!kind.options) {
    return (
      <FormField label={<>Options <i>– optional</i></>} description="NAME=VALUE, one a line." errorText={faults.more} stretch>
        <TextEditor label="Options" value={form.more} rows={3} onChange={(more) => change({ more })} />
      </FormField>
    );
  }
  if (!kind.options.length) return null;
  const set = (name: string, value: string) => change({ options: { ...form.options, [name]: value } });
  return (
    <ExpandableSection headerText="Options">
      <div className="two wide">
        {kind.options.map((option) => (
          <OptionField key={option.name} option={option} value={form.options[option.name] ?? ''} onChange={(value) => set(option.name, value)} />
        ))}
      </div>
    </ExpandableSection>
  );
}

function OptionField({ option, value, onChange }: { option: SinkOption; value: string; onChange: (value: string) => void }) {
  const usual = { value: '', label: `Default: ${option.usual}` };
  return (
    <FormField label={option.name} description={option.says}>
      {option.values ? (
        <Select
          selectedOption={value ? { value, label: value } : usual}
          options={[usual, ...option.values.map((each) => ({ value: each, label: each }))]}
          onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
        />
      ) : (
        <Input value={value} placeholder={option.usual} spellcheck={false} onChange={({ detail }) => onChange(detail.value)} />
      )}
    </FormField>
  );
}

function SearchFields({ form, change }: Part) {
  return (
    <ExpandableSection headerText="Index and documents">
      <SpaceBetween size="m">
        <div className="two">
          <FormField label={<>Index <i>– optional</i></>} description="The name under which you search.">
            <Input value={form.index} placeholder="made from the names of table and sink" spellcheck={false} onChange={({ detail }) => change({ index: detail.value })} />
          </FormField>
          <FormField label={<>Attributes <i>– optional</i></>} description="The top-level attributes to send, separated by commas.">
            <Input value={form.fields} placeholder="all" spellcheck={false} onChange={({ detail }) => change({ fields: detail.value })} />
          </FormField>
        </div>
        <Checkbox checked={form.flat} description="Takes items of any shape, and compares all values as keywords." onChange={({ detail }) => change({ flat: detail.checked })}>
          The whole item in one field
        </Checkbox>
      </SpaceBetween>
    </ExpandableSection>
  );
}

function FilterFields({ form, change, faults }: Part & { faults: SinkFaults }) {
  return (
    <ExpandableSection headerText="Filter and backlog">
      <SpaceBetween size="m">
        <FormField label={<>FilterExpression <i>– optional</i></>} description="Only what it selects is sent." errorText={faults.filter} stretch>
          <Input value={form.filter} placeholder="released > :y" spellcheck={false} onChange={({ detail }) => change({ filter: detail.value })} />
        </FormField>
        <div className="two">
          <FormField label="ExpressionAttributeValues" errorText={faults.filterValues}>
            <Input value={form.filterValues} placeholder='{":y": {"N": "1990"}}' spellcheck={false} onChange={({ detail }) => change({ filterValues: detail.value })} />
          </FormField>
          <FormField label="ExpressionAttributeNames" errorText={faults.filterNames}>
            <Input value={form.filterNames} placeholder='{"#n": "name"}' spellcheck={false} onChange={({ detail }) => change({ filterNames: detail.value })} />
          </FormField>
        </div>
        <FormField label="Most MiB that may wait" errorText={faults.backlog}>
          <Input value={form.backlog} placeholder="1024" inputMode="numeric" onChange={({ detail }) => change({ backlog: detail.value })} />
        </FormField>
      </SpaceBetween>
    </ExpandableSection>
  );
}

function CommandFields({ kind, form, change, table }: Part & { kind: SinkKind; table: string }) {
  return (
    <ExpandableSection headerText="Only by the command" headerDescription="Files of the server’s machine, and the table of dead letters.">
      <div className="two">
        {kind.credentials && (
          <FormField label="File with credentials" description={`It holds ${kind.credentials}.`}>
            <Input value={form.credentials} placeholder="/etc/partita/sink" spellcheck={false} onChange={({ detail }) => change({ credentials: detail.value })} />
          </FormField>
        )}
        {kind.authority && (
          <FormField label="File with authorities" description="PEM, instead of those of the system.">
            <Input value={form.authority} placeholder="/etc/partita/authority.pem" spellcheck={false} onChange={({ detail }) => change({ authority: detail.value })} />
          </FormField>
        )}
        <FormField label="Table of dead letters" description="For what the other end rejects.">
          <Input value={form.deadLetters} placeholder={`${table}-dead-letters`} spellcheck={false} onChange={({ detail }) => change({ deadLetters: detail.value })} />
        </FormField>
      </div>
    </ExpandableSection>
  );
}
