/** Create table: everything that CreateTable takes, with the request beside it. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tiles from '@cloudscape-design/components/tiles';
import { type ReactNode, useEffect, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { notify } from '../../app/notices.ts';
import { guardLeaving, href, navigate, segment } from '../../app/router.ts';
import { call, messageOf } from '../../aws/index.ts';
import { ErrorBox, Page, RequestPreview, tablesChanged, TextEditor, WriteButton } from '../../components/index.ts';
import { CAPACITY_NOTE, CapacityFields, MODES } from './capacity_fields.tsx';
import { createRequests, fieldOf, formFaults, newIndex, newTable, newVector, type TableForm } from './form.ts';
import { GlobalIndexFields, LocalIndexFields, VectorIndexFields } from './index_fields.tsx';
import { KeyField } from './key_fields.tsx';
import { ClassField, EncryptionFields, STREAM_VIEWS } from './setting_fields.tsx';
import { TagFields } from './tag_fields.tsx';

export default function CreateTable() {
  const [form, setForm] = useState(newTable);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const change = (part: Partial<TableForm>) => {
    setForm((before) => ({ ...before, ...part }));
    setError(undefined);
  };
  const requests = createRequests(form);
  const local = tried ? formFaults(form) : {};
  const at = error ? fieldOf(messageOf(error), form) : undefined;
  const faults: Record<string, string | undefined> = at ? { ...local, [at]: messageOf(error) } : local;
  const dirty = form.name !== '' || form.partition.name !== '';

  useEffect(() => guardLeaving(() => (dirty && !busy ? 'Leave without creating the table?' : undefined)), [dirty, busy]);

  const submit = async () => {
    setTried(true);
    if (busy) return;
    if (Object.keys(formFaults(form)).length) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      for (const request of requests) await call(request.operation, request.input);
      const name = form.name.trim();
      tablesChanged();
      notify({ type: 'success', content: `Table ${name} is created.`, link: { text: 'Add items', href: href(`explore/${segment(name)}`) } });
      navigate(href(`tables/${segment(name)}`), { force: true });
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  useKeys([{ keys: 'Ctrl+Enter', does: 'Create the table', run: () => void submit() }]);

  return (
    <Page title="Create table">
      <div className="with-preview">
        <SpaceBetween size="l">
          <Keys form={form} change={change} faults={faults} />
          <CapacitySection form={form} change={change} faults={faults} />
          <Indexes form={form} change={change} faults={faults} />
          <Settings form={form} change={change} faults={faults} />
          <ErrorBox error={error} header="The table was not created" />
          <Box float="right">
            <SpaceBetween direction="horizontal" size="xs">
              <Button variant="link" onClick={() => navigate(href('tables'))}>
                Cancel
              </Button>
              <WriteButton variant="primary" loading={busy} onClick={() => void submit()} data-testid="create">
                Create table
              </WriteButton>
            </SpaceBetween>
          </Box>
        </SpaceBetween>
        <aside className="preview" aria-label="Request">
          <Container header={<Header variant="h2">Request</Header>}>
            <RequestPreview
              request={requests}
              template={{ input: requests[0]!.input, extras: { timeToLive: form.ttl.trim() ? { AttributeName: form.ttl.trim(), Enabled: true } : undefined } }}
            />
          </Container>
        </aside>
      </div>
    </Page>
  );
}

interface Part {
  form: TableForm;
  change: (part: Partial<TableForm>) => void;
  faults: Record<string, string | undefined>;
}

function Keys({ form, change, faults }: Part) {
  return (
    <Container header={<Header variant="h2">Name and keys</Header>}>
      <SpaceBetween size="m">
        <FormField label="Table name" errorText={faults.name} constraintText="3 to 255 letters, digits, “_”, “-” and “.”.">
          <Input
            value={form.name}
            autoFocus
            spellcheck={false}
            autoComplete={false}
            invalid={!!faults.name}
            placeholder="Music"
            onChange={({ detail }) => change({ name: detail.value })}
          />
        </FormField>
        <FormField
          label="Partition key"
          description="Items with the same value are an item collection; a Query reads one."
          errorText={faults.partition}
        >
          <KeyField label="Partition key" placeholder="Artist" value={form.partition} onChange={(partition) => change({ partition })} />
        </FormField>
        <FormField label={<>Sort key <i>– optional</i></>} description="Orders the items of a collection." errorText={faults.sort}>
          <KeyField label="Sort key" placeholder="Song" value={form.sort} onChange={(sort) => change({ sort })} />
        </FormField>
      </SpaceBetween>
    </Container>
  );
}

function CapacitySection({ form, change, faults }: Part) {
  return (
    <Container header={<Header variant="h2">Capacity</Header>}>
      <SpaceBetween size="m">
        <FormField label="Capacity mode" description={CAPACITY_NOTE} errorText={faults.capacity} stretch>
          <Tiles value={form.billing} items={MODES} onChange={({ detail }) => change({ billing: detail.value as TableForm['billing'] })} />
        </FormField>
        <CapacityFields value={form} billing={form.billing} onChange={change} />
      </SpaceBetween>
    </Container>
  );
}

function IndexBox({ title, onRemove, children }: { title: string; onRemove: () => void; children: ReactNode }) {
  return (
    <div className="boxed" role="group" aria-label={title}>
      <div className="boxed-head">
        <Box variant="h3">{title}</Box>
        <Button variant="icon" iconName="remove" ariaLabel={`Remove: ${title}`} onClick={onRemove} />
      </div>
      {children}
    </div>
  );
}

function Indexes({ form, change, faults }: Part) {
  const replace = <T extends { id: string }>(list: T[], value: T) => list.map((each) => (each.id === value.id ? value : each));
  const without = <T extends { id: string }>(list: T[], id: string) => list.filter((each) => each.id !== id);
  const count = form.globals.length + form.locals.length + form.vectors.length;
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={count ? `(${count})` : undefined}
          description="Local indexes can only be made together with the table; others can be added later."
        >
          Indexes
        </Header>
      }
    >
      <SpaceBetween size="m">
        {form.globals.map((index) => (
          <IndexBox key={index.id} title={`Global index ${index.name}`} onRemove={() => change({ globals: without(form.globals, index.id) })}>
            <GlobalIndexFields
              value={index}
              billing={form.billing}
              errorText={faults[index.id]}
              onChange={(next) => change({ globals: replace(form.globals, next) })}
            />
          </IndexBox>
        ))}
        {form.locals.map((index) => (
          <IndexBox key={index.id} title={`Local index ${index.name}`} onRemove={() => change({ locals: without(form.locals, index.id) })}>
            <LocalIndexFields value={index} errorText={faults[index.id]} onChange={(next) => change({ locals: replace(form.locals, next) })} />
          </IndexBox>
        ))}
        {form.vectors.map((index) => (
          <IndexBox key={index.id} title={`Vector index ${index.name}`} onRemove={() => change({ vectors: without(form.vectors, index.id) })}>
            <VectorIndexFields value={index} errorText={faults[index.id]} onChange={(next) => change({ vectors: replace(form.vectors, next) })} />
          </IndexBox>
        ))}
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="add-plus" onClick={() => change({ globals: [...form.globals, newIndex()] })}>
            Global index
          </Button>
          <Button
            iconName="add-plus"
            disabled={!form.sort.name.trim()}
            disabledReason="A table with local indexes needs a sort key."
            onClick={() => change({ locals: [...form.locals, newIndex(true)] })}
          >
            Local index
          </Button>
          <Button
            iconName="add-plus"
            disabled={form.billing === 'PROVISIONED'}
            disabledReason="Vector indexes need capacity on demand."
            onClick={() => change({ vectors: [...form.vectors, newVector()] })}
          >
            Vector index
          </Button>
        </SpaceBetween>
      </SpaceBetween>
    </Container>
  );
}

function Settings({ form, change, faults }: Part) {
  return (
    <Container header={<Header variant="h2">Settings</Header>}>
      <SpaceBetween size="m">
        <div className="two">
          <FormField label="Stream" description="Records every change of an item for a day.">
            <Select
              selectedOption={STREAM_VIEWS.find((each) => each.value === form.stream)!}
              options={STREAM_VIEWS}
              onChange={({ detail }) => change({ stream: detail.selectedOption.value as TableForm['stream'] })}
            />
          </FormField>
          <FormField label={<>Time to live <i>– optional</i></>} description="The attribute with the time of expiry, in seconds since 1970." errorText={faults.ttl}>
            <Input value={form.ttl} placeholder="expires" spellcheck={false} onChange={({ detail }) => change({ ttl: detail.value })} />
          </FormField>
        </div>
        <Checkbox
          checked={form.protection}
          description="Refuses DeleteTable until it is switched off."
          onChange={({ detail }) => change({ protection: detail.checked })}
        >
          Deletion protection
        </Checkbox>
        <FormField label={<>Tags <i>– optional</i></>} errorText={faults.tags} stretch>
          <TagFields tags={form.tags} onChange={(tags) => change({ tags })} />
        </FormField>
        <ExpandableSection headerText="Table class, encryption, resource policy">
          <SpaceBetween size="m">
            <div className="two">
              <ClassField value={form.tableClass} onChange={(tableClass) => change({ tableClass })} />
              <EncryptionFields value={form} errorText={faults.encryption} onChange={change} />
            </div>
            <FormField label={<>Resource policy <i>– optional</i></>} errorText={faults.policy} stretch>
              <TextEditor label="Resource policy" rows={6} value={form.policy} invalid={!!faults.policy} onChange={(policy) => change({ policy })} />
            </FormField>
          </SpaceBetween>
        </ExpandableSection>
      </SpaceBetween>
    </Container>
  );
}
