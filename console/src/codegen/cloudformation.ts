/** A CreateTable request, with what other calls add to the table, as a CloudFormation template in YAML. */
import { clean, type Node } from './shape.ts';

export interface TableExtras {
  timeToLive?: { AttributeName: string; Enabled: boolean };
  pointInTimeRecovery?: boolean;
  resourcePolicy?: string;
  contributorInsights?: { Enabled: boolean; Mode?: string };
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./ -]*$/;
const WORD = /^(true|false|null|yes|no|on|off|y|n)$/i;

function scalar(node: Node): string {
  if (typeof node !== 'string') return String(node);
  return PLAIN.test(node) && !WORD.test(node) && node.trim() === node ? node : JSON.stringify(node);
}

function yaml(node: Node, indent: string): string {
  if (Array.isArray(node)) {
    if (!node.length) return ' []';
    return node
      .map((each) => {
        const text = yaml(each, `${indent}  `);
        return `\n${indent}- ${text.startsWith('\n') ? text.trimStart() : text.trimStart()}`;
      })
      .join('');
  }
  if (typeof node === 'object' && node !== null) {
    const entries = Object.entries(node);
    if (!entries.length) return ' {}';
    return entries.map(([name, value]) => `\n${indent}${scalar(name)}:${yaml(value, `${indent}  `)}`).join('');
  }
  return ` ${scalar(node)}`;
}

/** A name that CloudFormation takes for a resource: letters and digits. */
export function logicalId(table: string): string {
  const id = table.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase());
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Table`;
}

/** The properties of AWS::DynamoDB::Table for the input of CreateTable. */
export function tableProperties(input: object, extras: TableExtras = {}): { [name: string]: Node } {
  const from = clean(input);
  const to: { [name: string]: Node } = {};
  for (const [name, value] of Object.entries(from)) {
    if (name === 'StreamSpecification') {
      const stream = value as { StreamEnabled?: boolean; StreamViewType?: string };
      if (stream.StreamEnabled) to[name] = { StreamViewType: stream.StreamViewType ?? 'NEW_AND_OLD_IMAGES' };
    } else if (name === 'SSESpecification') {
      const { Enabled, ...rest } = value as { Enabled?: boolean };
      to[name] = { SSEEnabled: Enabled ?? false, ...rest };
    } else if (name === 'ResourcePolicy') {
      to[name] = policy(String(value));
    } else to[name] = value;
  }
  if (extras.timeToLive) to.TimeToLiveSpecification = { ...extras.timeToLive };
  if (extras.pointInTimeRecovery) to.PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  if (extras.contributorInsights) to.ContributorInsightsSpecification = clean(extras.contributorInsights);
  if (extras.resourcePolicy) to.ResourcePolicy = policy(extras.resourcePolicy);
  return to;
}

function policy(text: string): Node {
  try {
    return { PolicyDocument: JSON.parse(text) as Node };
  } catch {
    return { PolicyDocument: text };
  }
}

/** A template of all these tables. */
export function cloudFormation(tables: { input: object; extras?: TableExtras }[]): string {
  const resources: { [id: string]: Node } = {};
  for (const { input, extras } of tables) {
    const properties = tableProperties(input, extras);
    const name = logicalId(String(properties.TableName ?? ''));
    let id = name;
    // 'a-b' and 'a.b' have the same letters.
    for (let number = 2; id in resources; number++) id = `${name}${number}`;
    resources[id] = { Type: 'AWS::DynamoDB::Table', Properties: properties };
  }
  const template: Node = { AWSTemplateFormatVersion: '2010-09-09', Resources: resources };
  return `${yaml(template, '').trimStart().replace('AWSTemplateFormatVersion: 2010-09-09', 'AWSTemplateFormatVersion: "2010-09-09"')}\n`;
}
