/** The CreateTable request that would make a table again. */
import type { InputOf, TableDescription } from '../../aws/operations.ts';

type Throughput = { ReadCapacityUnits?: number; WriteCapacityUnits?: number } | undefined;
type Warm = { ReadUnitsPerSecond?: number; WriteUnitsPerSecond?: number } | undefined;

export function createInputOf(table: TableDescription, tags: { Key?: string; Value?: string }[] = []): InputOf<'CreateTable'> {
  const onDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const list = <T>(values: T[] | undefined) => (values?.length ? values : undefined);
  const provisioned = (of: Throughput) =>
    onDemand || !of ? undefined : { ReadCapacityUnits: of.ReadCapacityUnits, WriteCapacityUnits: of.WriteCapacityUnits };
  // Without a setting, on-demand tables have these. Provisioned tables have what their units give.
  const warm = (of: Warm) =>
    onDemand && of && ((of.ReadUnitsPerSecond ?? 0) > 12000 || (of.WriteUnitsPerSecond ?? 0) > 4000)
      ? { ReadUnitsPerSecond: of.ReadUnitsPerSecond, WriteUnitsPerSecond: of.WriteUnitsPerSecond }
      : undefined;
  const sse = table.SSEDescription;
  const input = {
    TableName: table.TableName,
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    BillingMode: onDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ProvisionedThroughput: provisioned(table.ProvisionedThroughput),
    OnDemandThroughput: table.OnDemandThroughput,
    WarmThroughput: warm(table.WarmThroughput),
    LocalSecondaryIndexes: list(
      table.LocalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })),
    ),
    GlobalSecondaryIndexes: list(
      table.GlobalSecondaryIndexes?.map((index) => ({
        IndexName: index.IndexName,
        KeySchema: index.KeySchema,
        Projection: index.Projection,
        ProvisionedThroughput: provisioned(index.ProvisionedThroughput),
        OnDemandThroughput: index.OnDemandThroughput,
        WarmThroughput: warm(index.WarmThroughput),
      })),
    ),
    VectorIndexes: list(
      table.VectorIndexes?.map(({ IndexName, VectorAttribute, Dimensions, DistanceFunction, SearchSchema, Projection }) => ({
        IndexName,
        VectorAttribute,
        Dimensions,
        DistanceFunction,
        SearchSchema: list(SearchSchema),
        Projection,
      })),
    ),
    StreamSpecification: table.StreamSpecification?.StreamEnabled ? table.StreamSpecification : undefined,
    SSESpecification: sse?.Status === 'ENABLED' ? { Enabled: true, SSEType: sse.SSEType, KMSMasterKeyId: sse.KMSMasterKeyArn } : undefined,
    TableClass: table.TableClassSummary?.TableClass === 'STANDARD_INFREQUENT_ACCESS' ? 'STANDARD_INFREQUENT_ACCESS' : undefined,
    DeletionProtectionEnabled: table.DeletionProtectionEnabled || undefined,
    Tags: list(tags),
  };
  return JSON.parse(JSON.stringify(input)) as InputOf<'CreateTable'>;
}
