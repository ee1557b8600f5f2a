/** The dialogs that change a table. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useState } from 'react';
import { tablesChanged, TextEditor } from '../../components/index.ts';
import type { TableDescription } from '../../aws/index.ts';
import { isOnDemand } from './describe.ts';
import { definitions, globalIndex, newIndex, newVector, ttlInput, vectorIndex } from './form.ts';
import { STREAM_VIEWS } from './setting_fields.tsx';
import { GlobalIndexFields, VectorIndexFields } from './index_fields.tsx';
import { TableDialog } from './table_dialog.tsx';
import { TagFields } from './tag_fields.tsx';
import { throughputOf } from './throughput.ts';

interface Props {
  table: TableDescription;
  onClose: () => void;
}

export function AddGlobalIndex({ table, onClose }: Props) {
  const [form, setForm] = useState(() => ({ ...newIndex(), provisioned: throughputOf(table).provisioned }));
  const billing = isOnDemand(table) ? 'PAY_PER_REQUEST' : 'PROVISIONED';
  const fault = !form.name.trim() ? 'The index needs a name.' : form.partition.some((each) => each.name.trim()) ? undefined : 'The index needs a partition key.';
  const input = {
    TableName: table.TableName,
    AttributeDefinitions: definitions([...form.partition, ...form.sort]),
    GlobalSecondaryIndexUpdates: [{ Create: globalIndex(form, billing) }],
  };
  return (
    <TableDialog
      table={table}
      title="Add a global index"
      action="Add index"
      requests={[{ operation: 'UpdateTable', input }]}
      fault={fault}
      done={`Index ${form.name.trim()} is being filled.`}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <GlobalIndexFields value={form} billing={billing} onChange={setForm} />
    </TableDialog>
  );
}

export function AddVectorIndex({ table, onClose }: Props) {
  const [form, setForm] = useState(newVector);
  const attributes = definitions([form.partition, ...form.filters]);
  const input = {
    TableName: table.TableName,
    AttributeDefinitions: attributes.length ? attributes : undefined,
    VectorIndexUpdates: [{ Create: vectorIndex(form) }],
  };
  return (
    <TableDialog
      table={table}
      title="Add a vector index"
      action="Add index"
      requests={[{ operation: 'UpdateTable', input }]}
      fault={form.name.trim() && form.attribute.trim() && form.dimensions ? undefined : 'The index needs a name, an attribute and its dimensions.'}
      done={`Index ${form.name.trim()} is being filled.`}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <VectorIndexFields value={form} onChange={setForm} />
    </TableDialog>
  );
}

export function ChangeStream({ table, onClose }: Props) {
  const was = table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType! : '';
  const [view, setView] = useState<string>(was || 'NEW_AND_OLD_IMAGES');
  const update = (StreamSpecification: object) => ({ operation: 'UpdateTable', input: { TableName: table.TableName, StreamSpecification } });
  const off = was && view !== was ? [update({ StreamEnabled: false })] : [];
  const on = view && view !== was ? [update({ StreamEnabled: true, StreamViewType: view })] : [];
  return (
    <TableDialog
      table={table}
      title={`Stream of ${table.TableName}`}
      requests={[...off, ...on]}
      done={view ? 'The stream is on.' : 'The stream is off.'}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <FormField label="Records hold">
        <Select
          selectedOption={STREAM_VIEWS.find((each) => each.value === view)!}
          options={STREAM_VIEWS}
          onChange={({ detail }) => setView(detail.selectedOption.value!)}
        />
      </FormField>
      {off.length > 0 && (view ? 'Other records need a new stream. ' : '') + 'The records of the old stream stay readable for a day.'}
    </TableDialog>
  );
}

export function ChangeTtl({ table, attribute, onClose, onDone }: Props & { attribute: string | undefined; onDone: () => void }) {
  const [name, setName] = useState(attribute ?? '');
  return (
    <TableDialog
      table={table}
      title={attribute ? 'Switch time to live off' : 'Switch time to live on'}
      action={attribute ? 'Switch off' : 'Switch on'}
      requests={[{ operation: 'UpdateTimeToLive', input: ttlInput(table.TableName!, name.trim(), !attribute) }]}
      fault={name.trim() ? undefined : 'An attribute is needed.'}
      done={attribute ? 'Items no longer expire.' : `Items expire by ${name.trim()}.`}
      onDone={onDone}
      onClose={onClose}
      size="medium"
    >
      {!attribute && (
        <FormField label="Attribute" description="A number: the time of expiry in seconds since 1970. Items are deleted soon after it.">
          <Input value={name} autoFocus spellcheck={false} placeholder="expires" onChange={({ detail }) => setName(detail.value)} />
        </FormField>
      )}
    </TableDialog>
  );
}

export function ChangeTags({ table, tags, onClose, onDone }: Props & { tags: { key: string; value: string }[]; onDone: () => void }) {
  const [list, setList] = useState(tags);
  const after = new Map(list.filter((each) => each.key).map((each) => [each.key, each.value]));
  const before = new Map(tags.map((each) => [each.key, each.value]));
  const added = [...after].filter(([key, value]) => before.get(key) !== value).map(([Key, Value]) => ({ Key, Value }));
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const requests = [
    ...(removed.length ? [{ operation: 'UntagResource', input: { ResourceArn: table.TableArn, TagKeys: removed } }] : []),
    ...(added.length ? [{ operation: 'TagResource', input: { ResourceArn: table.TableArn, Tags: added } }] : []),
  ];
  return (
    <TableDialog table={table} title={`Tags of ${table.TableName}`} requests={requests} done="The tags are saved." onDone={onDone} onClose={onClose}>
      <TagFields tags={list} onChange={setList} />
    </TableDialog>
  );
}

export function ChangePolicy({ table, policy, onClose, onDone }: Props & { policy: string | undefined; onDone: () => void }) {
  const [body, setBody] = useState(policy ?? TEMPLATE.replace('ARN', table.TableArn ?? '*'));
  let fault: string | undefined;
  try {
    if (body.trim()) JSON.parse(body);
  } catch (error) {
    fault = `The policy is no JSON: ${(error as Error).message}`;
  }
  const request = body.trim()
    ? { operation: 'PutResourcePolicy', input: { ResourceArn: table.TableArn, Policy: body } }
    : { operation: 'DeleteResourcePolicy', input: { ResourceArn: table.TableArn } };
  return (
    <TableDialog
      table={table}
      title={`Policy of ${table.TableName}`}
      requests={policy === undefined && !body.trim() ? [] : [request]}
      fault={fault}
      done={body.trim() ? 'The policy is saved.' : 'The policy is deleted.'}
      onDone={onDone}
      onClose={onClose}
    >
      <FormField label="Policy" description="An empty text deletes it." errorText={fault} stretch>
        <TextEditor label="Policy" value={body} rows={14} invalid={!!fault} onChange={setBody} />
      </FormField>
    </TableDialog>
  );
}

const TEMPLATE = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Principal": { "AWS": "arn:aws:iam::000000000000:user/reader" },
      "Action": ["dynamodb:GetItem", "dynamodb:Query"],
      "Resource": "ARN"
    }
  ]
}`;
