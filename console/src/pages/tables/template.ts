/** The CloudFormation template of a table once requests have changed it. */
import type { TableDescription } from '../../aws/operations.ts';
import type { Request, TableExtras } from '../../codegen/index.ts';
import { createInputOf } from './from_description.ts';

export interface Insights {
  /** Absent: of the table. */
  index?: string;
  mode: string;
}

export interface Known {
  tags: { Key?: string; Value?: string }[];
  ttl?: string;
  policy?: string;
  /** Where Contributor Insights is on. */
  insights: Insights[];
}

type Tree = Record<string, any>;

export function templateAfter(table: TableDescription, known: Known, requests: Request[]): { input: object; extras: TableExtras } {
  const input = createInputOf(table, known.tags) as Tree;
  const extras: TableExtras = {
    timeToLive: known.ttl ? { AttributeName: known.ttl, Enabled: true } : undefined,
    resourcePolicy: known.policy,
  };
  for (const { index, mode } of known.insights) setInsights(input, extras, index, { Enabled: true, Mode: mode });
  for (const request of requests) apply(request.operation, request.input, input, extras);
  return { input: cleaned(input), extras };
}

function setInsights(input: Tree, extras: TableExtras, index: string | undefined, to: TableExtras['contributorInsights']): void {
  if (!index) extras.contributorInsights = to;
  else for (const each of input.GlobalSecondaryIndexes ?? []) if (each.IndexName === index) each.ContributorInsightsSpecification = to;
}

function apply(operation: string, request: Tree, input: Tree, extras: TableExtras): void {
  switch (operation) {
    case 'UpdateTable':
      return update(request, input);
    case 'UpdateTimeToLive': {
      const { AttributeName, Enabled } = request.TimeToLiveSpecification;
      extras.timeToLive = Enabled ? { AttributeName, Enabled } : undefined;
      return;
    }
    case 'TagResource': {
      const added = new Set(request.Tags.map((each: Tree) => each.Key));
      input.Tags = [...(input.Tags ?? []).filter((each: Tree) => !added.has(each.Key)), ...request.Tags];
      return;
    }
    case 'UntagResource':
      input.Tags = input.Tags?.filter((each: Tree) => !request.TagKeys.includes(each.Key));
      return;
    case 'PutResourcePolicy':
      extras.resourcePolicy = request.Policy;
      return;
    case 'DeleteResourcePolicy':
      extras.resourcePolicy = undefined;
      return;
    case 'UpdateContributorInsights':
      setInsights(input, extras, request.IndexName, request.ContributorInsightsAction === 'ENABLE' ? { Enabled: true, Mode: request.ContributorInsightsMode } : undefined);
  }
}

/** Members of UpdateTable that CreateTable has too; `TableName` is the same. */
const SAME = ['BillingMode', 'ProvisionedThroughput', 'OnDemandThroughput', 'WarmThroughput', 'StreamSpecification', 'SSESpecification', 'TableClass', 'DeletionProtectionEnabled'];

function update(request: Tree, input: Tree): void {
  for (const name of SAME) if (request[name] !== undefined) input[name] = request[name];
  const defined = new Set((input.AttributeDefinitions ?? []).map((each: Tree) => each.AttributeName));
  input.AttributeDefinitions = [...(input.AttributeDefinitions ?? []), ...(request.AttributeDefinitions ?? []).filter((each: Tree) => !defined.has(each.AttributeName))];
  updateIndexes(input, 'GlobalSecondaryIndexes', request.GlobalSecondaryIndexUpdates);
  updateIndexes(input, 'VectorIndexes', request.VectorIndexUpdates);
}

function updateIndexes(input: Tree, member: string, updates: Tree[] = []): void {
  for (const { Create, Update, Delete } of updates) {
    if (Create) input[member] = [...(input[member] ?? []), Create];
    if (Update) input[member] = input[member]?.map((each: Tree) => (each.IndexName === Update.IndexName ? { ...each, ...defined(Update) } : each));
    if (Delete) input[member] = input[member]?.filter((each: Tree) => each.IndexName !== Delete.IndexName);
  }
}

const defined = (tree: Tree): Tree => Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== undefined));

/** What the table has by default is not written, nor what its capacity mode or its keys do not use. */
function cleaned(input: Tree): Tree {
  const used = new Set<string>();
  const indexes: Tree[] = [...(input.GlobalSecondaryIndexes ?? []), ...(input.LocalSecondaryIndexes ?? []), ...(input.VectorIndexes ?? [])];
  for (const each of [input, ...indexes]) for (const key of [...(each.KeySchema ?? []), ...(each.SearchSchema ?? [])]) used.add(key.AttributeName);
  for (const each of [input, ...(input.GlobalSecondaryIndexes ?? [])]) {
    if (input.BillingMode === 'PAY_PER_REQUEST') each.ProvisionedThroughput = undefined;
    else each.OnDemandThroughput = undefined;
    const limits = each.OnDemandThroughput;
    if (limits && Object.values(limits).every((limit) => limit === -1)) each.OnDemandThroughput = undefined;
  }
  return {
    ...input,
    AttributeDefinitions: input.AttributeDefinitions.filter((each: Tree) => used.has(each.AttributeName)),
    GlobalSecondaryIndexes: input.GlobalSecondaryIndexes?.length ? input.GlobalSecondaryIndexes : undefined,
    VectorIndexes: input.VectorIndexes?.length ? input.VectorIndexes : undefined,
    Tags: input.Tags?.length ? input.Tags : undefined,
    StreamSpecification: input.StreamSpecification?.StreamEnabled ? input.StreamSpecification : undefined,
    SSESpecification: input.SSESpecification?.Enabled ? input.SSESpecification : undefined,
    TableClass: input.TableClass === 'STANDARD' ? undefined : input.TableClass,
    DeletionProtectionEnabled: input.DeletionProtectionEnabled || undefined,
  };
}
