/** The dialogs that change a table. */
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import Tiles from '@cloudscape-design/components/tiles';
import { useState } from 'react';
import { tablesChanged, TextEditor, ChangeDialog } from '../../components/index.ts';
import type { TableDescription } from '../../aws/index.ts';
import { CapacityFields } from './capacity_fields.tsx';
import { isOnDemand } from './describe.ts';
import { type Capacity, definitions, globalIndex, newIndex, newVector, ttlInput, vectorIndex } from './form.ts';
import { GlobalIndexFields, VectorIndexFields } from './index_fields.tsx';
import { TagFields } from './tag_fields.tsx';

interface Props {
  table: TableDescription;
  onClose: () => void;
}

const text = (value: number | undefined) => (value === undefined || value < 0 ? '' : String(value));
const number = (value: string) => (value.trim() === '' ? undefined : Number(value));

export function ChangeCapacity({ table, onClose }: Props) {
  const [mode, setMode] = useState(isOnDemand(table) ? 'PAY_PER_REQUEST' : 'PROVISIONED');
  const was = table.ProvisionedThroughput;
  const [provisioned, setProvisioned] = useState<Capacity>({ read: text(was?.ReadCapacityUnits || 5), write: text(was?.WriteCapacityUnits || 5) });
  const [maximum, setMaximum] = useState<Capacity>({
    read: text(table.OnDemandThroughput?.MaxReadRequestUnits),
    write: text(table.OnDemandThroughput?.MaxWriteRequestUnits),
  });
  const throughput = { ReadCapacityUnits: number(provisioned.read), WriteCapacityUnits: number(provisioned.write) };
  const toProvisioned = mode === 'PROVISIONED' && isOnDemand(table);
  const input =
    mode === 'PROVISIONED'
      ? {
          TableName: table.TableName,
          BillingMode: toProvisioned ? mode : undefined,
          ProvisionedThroughput: throughput,
          // A change of mode gives capacity to the indexes too.
          GlobalSecondaryIndexUpdates:
            toProvisioned && table.GlobalSecondaryIndexes?.length
              ? table.GlobalSecondaryIndexes.map((index) => ({ Update: { IndexName: index.IndexName, ProvisionedThroughput: throughput } }))
              : undefined,
        }
      : {
          TableName: table.TableName,
          BillingMode: isOnDemand(table) ? undefined : mode,
          // -1 takes a limit away.
          OnDemandThroughput: { MaxReadRequestUnits: number(maximum.read) ?? -1, MaxWriteRequestUnits: number(maximum.write) ?? -1 },
        };
  return (
    <ChangeDialog
      title={`Capacity of ${table.TableName}`}
      requests={[{ operation: 'UpdateTable', input }]}
      done="The capacity is changed."
      onDone={tablesChanged}
      onClose={onClose}
    >
      <Tiles
        value={mode}
        ariaLabel="Capacity mode"
        items={[
          { value: 'PAY_PER_REQUEST', label: 'On demand', description: 'Any number of requests.' },
          { value: 'PROVISIONED', label: 'Provisioned', description: 'Requests over the capacity are throttled, as on AWS.' },
        ]}
        onChange={({ detail }) => setMode(detail.value)}
      />
      {mode === 'PROVISIONED' ? (
        <CapacityFields value={provisioned} read="Read units a second" write="Write units a second" onChange={setProvisioned} />
      ) : (
        <CapacityFields value={maximum} read="Most read units a second" write="Most write units a second" placeholder="No limit" onChange={setMaximum} />
      )}
    </ChangeDialog>
  );
}

export function AddGlobalIndex({ table, onClose }: Props) {
  const [form, setForm] = useState(() => {
    const index = newIndex();
    return { ...index, provisioned: { read: text(table.ProvisionedThroughput?.ReadCapacityUnits || 5), write: text(table.ProvisionedThroughput?.WriteCapacityUnits || 5) } };
  });
  const billing = isOnDemand(table) ? 'PAY_PER_REQUEST' : 'PROVISIONED';
  const fault = !form.name.trim() ? 'The index needs a name.' : form.partition.some((each) => each.name.trim()) ? undefined : 'The index needs a partition key.';
  const input = {
    TableName: table.TableName,
    AttributeDefinitions: definitions([...form.partition, ...form.sort]),
    GlobalSecondaryIndexUpdates: [{ Create: globalIndex(form, billing) }],
  };
  return (
    <ChangeDialog
      title="Add a global index"
      action="Add index"
      requests={[{ operation: 'UpdateTable', input }]}
      fault={fault}
      done={`Index ${form.name.trim()} is being filled.`}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <GlobalIndexFields value={form} billing={billing} onChange={setForm} />
    </ChangeDialog>
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
    <ChangeDialog
      title="Add a vector index"
      action="Add index"
      requests={[{ operation: 'UpdateTable', input }]}
      fault={form.name.trim() && form.attribute.trim() && form.dimensions ? undefined : 'The index needs a name, an attribute and its dimensions.'}
      done={`Index ${form.name.trim()} is being filled.`}
      onDone={tablesChanged}
      onClose={onClose}
    >
      <VectorIndexFields value={form} onChange={setForm} />
    </ChangeDialog>
  );
}

const VIEWS = [
  { value: 'NEW_AND_OLD_IMAGES', label: 'New and old images' },
  { value: 'NEW_IMAGE', label: 'New image' },
  { value: 'OLD_IMAGE', label: 'Old image' },
  { value: 'KEYS_ONLY', label: 'Keys only' },
] as const;

export function ChangeStream({ table, onClose }: Props) {
  const was = table.StreamSpecification?.StreamEnabled ?? false;
  const [view, setView] = useState<string>('NEW_AND_OLD_IMAGES');
  const input = {
    TableName: table.TableName,
    StreamSpecification: was ? { StreamEnabled: false } : { StreamEnabled: true, StreamViewType: view },
  };
  return (
    <ChangeDialog
      title={was ? 'Switch the stream off' : 'Switch the stream on'}
      action={was ? 'Switch off' : 'Switch on'}
      requests={[{ operation: 'UpdateTable', input }]}
      done={was ? 'The stream is off.' : 'The stream is on.'}
      onDone={tablesChanged}
      onClose={onClose}
    >
      {was ? (
        'Its records stay readable for a day.'
      ) : (
        <FormField label="Records hold">
          <Select
            selectedOption={VIEWS.find((each) => each.value === view)!}
            options={VIEWS}
            onChange={({ detail }) => setView(detail.selectedOption.value!)}
          />
        </FormField>
      )}
    </ChangeDialog>
  );
}

export function ChangeTtl({ table, attribute, onClose, onDone }: Props & { attribute: string | undefined; onDone: () => void }) {
  const [name, setName] = useState(attribute ?? '');
  return (
    <ChangeDialog
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
    </ChangeDialog>
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
    <ChangeDialog title={`Tags of ${table.TableName}`} requests={requests} done="The tags are saved." onDone={onDone} onClose={onClose}>
      <TagFields tags={list} onChange={setList} />
    </ChangeDialog>
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
    <ChangeDialog
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
    </ChangeDialog>
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

export function ChangeSettings({ table, onClose }: Props) {
  const [protection, setProtection] = useState(table.DeletionProtectionEnabled ?? false);
  const wasClass = table.TableClassSummary?.TableClass ?? 'STANDARD';
  const [tableClass, setTableClass] = useState<string>(wasClass);
  const classes = [
    { value: 'STANDARD', label: 'Standard' },
    { value: 'STANDARD_INFREQUENT_ACCESS', label: 'Standard, infrequent access' },
  ];
  const changed = {
    DeletionProtectionEnabled: protection !== (table.DeletionProtectionEnabled ?? false) ? protection : undefined,
    TableClass: tableClass !== wasClass ? tableClass : undefined,
  };
  const requests = Object.values(changed).some((each) => each !== undefined)
    ? [{ operation: 'UpdateTable', input: { TableName: table.TableName, ...changed } }]
    : [];
  return (
    <ChangeDialog title={`Settings of ${table.TableName}`} requests={requests} done="The settings are saved." onDone={tablesChanged} onClose={onClose}>
      <Checkbox checked={protection} description="Refuses DeleteTable until it is switched off." onChange={({ detail }) => setProtection(detail.checked)}>
        Deletion protection
      </Checkbox>
      <FormField label="Table class">
        <Select
          selectedOption={classes.find((each) => each.value === tableClass)!}
          options={classes}
          onChange={({ detail }) => setTableClass(detail.selectedOption.value!)}
        />
      </FormField>
    </ChangeDialog>
  );
}
