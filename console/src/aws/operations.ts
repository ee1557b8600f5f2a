/** Inputs and outputs of operations in the wire's form, derived from the SDK's types. Types only: no code is imported. */
import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../values/types.ts';

/** The SDK's types as JSON has them: times are seconds, binary is base64 text. */
export type Wire<T> = T extends Sdk.AttributeValue
  ? AttributeValue
  : T extends Date
    ? number
    : T extends Uint8Array
      ? string
      : T extends (infer Each)[]
        ? Wire<Each>[]
        : T extends object
          ? { [Name in keyof T]: Wire<T[Name]> }
          : T;

export interface Operations {
  BatchGetItem: [Sdk.BatchGetItemInput, Sdk.BatchGetItemOutput];
  BatchWriteItem: [Sdk.BatchWriteItemInput, Sdk.BatchWriteItemOutput];
  CreateTable: [Sdk.CreateTableInput, Sdk.CreateTableOutput];
  DeleteItem: [Sdk.DeleteItemInput, Sdk.DeleteItemOutput];
  DeleteResourcePolicy: [Sdk.DeleteResourcePolicyInput, Sdk.DeleteResourcePolicyOutput];
  DeleteTable: [Sdk.DeleteTableInput, Sdk.DeleteTableOutput];
  DescribeContinuousBackups: [Sdk.DescribeContinuousBackupsInput, Sdk.DescribeContinuousBackupsOutput];
  DescribeLimits: [Sdk.DescribeLimitsInput, Sdk.DescribeLimitsOutput];
  DescribeTable: [Sdk.DescribeTableInput, Sdk.DescribeTableOutput];
  DescribeTimeToLive: [Sdk.DescribeTimeToLiveInput, Sdk.DescribeTimeToLiveOutput];
  ExecuteStatement: [Sdk.ExecuteStatementInput, Sdk.ExecuteStatementOutput];
  BatchExecuteStatement: [Sdk.BatchExecuteStatementInput, Sdk.BatchExecuteStatementOutput];
  ExecuteTransaction: [Sdk.ExecuteTransactionInput, Sdk.ExecuteTransactionOutput];
  GetItem: [Sdk.GetItemInput, Sdk.GetItemOutput];
  GetResourcePolicy: [Sdk.GetResourcePolicyInput, Sdk.GetResourcePolicyOutput];
  ListContributorInsights: [Sdk.ListContributorInsightsInput, Sdk.ListContributorInsightsOutput];
  ListTables: [Sdk.ListTablesInput, Sdk.ListTablesOutput];
  ListTagsOfResource: [Sdk.ListTagsOfResourceInput, Sdk.ListTagsOfResourceOutput];
  PutItem: [Sdk.PutItemInput, Sdk.PutItemOutput];
  PutResourcePolicy: [Sdk.PutResourcePolicyInput, Sdk.PutResourcePolicyOutput];
  Query: [Sdk.QueryInput, Sdk.QueryOutput];
  Scan: [Sdk.ScanInput, Sdk.ScanOutput];
  SearchVectors: [Sdk.SearchVectorsInput, Sdk.SearchVectorsOutput];
  TagResource: [Sdk.TagResourceInput, object];
  TransactGetItems: [Sdk.TransactGetItemsInput, Sdk.TransactGetItemsOutput];
  TransactWriteItems: [Sdk.TransactWriteItemsInput, Sdk.TransactWriteItemsOutput];
  UntagResource: [Sdk.UntagResourceInput, object];
  UpdateItem: [Sdk.UpdateItemInput, Sdk.UpdateItemOutput];
  UpdateTable: [Sdk.UpdateTableInput, Sdk.UpdateTableOutput];
  UpdateTimeToLive: [Sdk.UpdateTimeToLiveInput, Sdk.UpdateTimeToLiveOutput];
}

export type InputOf<Name extends string> = Name extends keyof Operations ? Wire<Operations[Name][0]> : object;
export type OutputOf<Name extends string> = Name extends keyof Operations ? Wire<Operations[Name][1]> : Record<string, unknown>;
export type TableDescription = Wire<Sdk.TableDescription>;
export type KeySchemaElement = Wire<Sdk.KeySchemaElement>;
