/** Statements and their parameters, as the editor holds them and as the address spells them. */
import { type AttributeValue, TYPES, type TypeTag } from '../../values/index.ts';
import { parseOperand } from '../explore/operand.ts';
import { tokensOf } from './locate.ts';

export interface Parameter {
  type: TypeTag;
  text: string;
}

export interface Statement {
  text: string;
  parameters: Parameter[];
}

export type Mode = 'single' | 'batch' | 'transaction';

export const emptyStatement = (): Statement => ({ text: '', parameters: [] });

/** How many ? a statement has. */
export const parameterCount = (text: string): number => tokensOf(text).filter((each) => each.kind === 'parameter').length;

/** A parameter for each ?: those that are there stay. */
export function withText(statement: Statement, text: string): Statement {
  const count = parameterCount(text);
  const parameters = Array.from({ length: count }, (_, at): Parameter => statement.parameters[at] ?? { type: 'S', text: '' });
  return { text, parameters };
}

export const isRead = (text: string): boolean => ['SELECT', 'EXISTS'].includes(tokensOf(text)[0]?.text ?? '');

/** The table that a statement is about, and the index that it reads. */
export function tableOf(text: string): { table: string; index?: string } | undefined {
  const tokens = tokensOf(text);
  const at = tokens.findIndex((each) => each.kind === 'word' && ['FROM', 'INTO', 'UPDATE'].includes(each.text));
  const name = (index: number) => {
    const token = tokens[index];
    return token && (token.kind === 'quoted' || token.kind === 'word') ? (token.kind === 'word' ? text.slice(token.offset, token.offset + token.length) : token.text) : undefined;
  };
  const table = at < 0 ? undefined : name(at + 1);
  if (!table) return undefined;
  return { table, index: tokens[at + 2]?.text === '.' ? name(at + 3) : undefined };
}

/** What is wrong with the parameter, or undefined. */
export function parameterFault({ type, text }: Parameter): string | undefined {
  try {
    parseOperand(type, text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export interface Options {
  consistent: boolean;
  limit: string;
}

export interface PartiqlRequest {
  operation: 'ExecuteStatement' | 'BatchExecuteStatement' | 'ExecuteTransaction';
  input: object;
}

/** The request; undefined while a statement is empty or a parameter is at fault. */
export function requestOf(mode: Mode, statements: Statement[], options: Options): PartiqlRequest | undefined {
  const used = mode === 'single' ? statements.slice(0, 1) : statements.filter((each) => each.text.trim() !== '');
  if (!used.length || used.some((each) => each.text.trim() === '' || each.parameters.some((parameter) => parameterFault(parameter)))) return undefined;
  const one = ({ text, parameters }: Statement): { Statement: string; Parameters?: AttributeValue[] } => ({
    Statement: text,
    ...(parameters.length && { Parameters: parameters.map((each) => parseOperand(each.type, each.text)) }),
  });
  if (mode === 'single') {
    return {
      operation: 'ExecuteStatement',
      input: {
        ...one(used[0]!),
        ...(options.consistent && { ConsistentRead: true }),
        ...(/^[1-9]\d*$/.test(options.limit) && { Limit: Number(options.limit) }),
        ReturnConsumedCapacity: 'TOTAL',
      },
    };
  }
  if (mode === 'batch') {
    return {
      operation: 'BatchExecuteStatement',
      input: { Statements: used.map((each) => ({ ...one(each), ...(options.consistent && isRead(each.text) && { ConsistentRead: true }) })), ReturnConsumedCapacity: 'TOTAL' },
    };
  }
  return { operation: 'ExecuteTransaction', input: { TransactStatements: used.map(one), ReturnConsumedCapacity: 'TOTAL' } };
}

// --- the address ---

export function encodeStatements(statements: Statement[]): string {
  if (statements.length === 1 && !statements[0]!.text && !statements[0]!.parameters.length) return '';
  return JSON.stringify(statements.map(({ text, parameters }) => [text, ...parameters.map((each) => [each.type, each.text])]));
}

export function decodeStatements(text: string): Statement[] {
  try {
    const json = JSON.parse(text) as unknown;
    if (!Array.isArray(json) || !json.length) return [emptyStatement()];
    return json.map((each: unknown) => {
      if (!Array.isArray(each) || typeof each[0] !== 'string') throw new Error('no statement');
      const parameters = (each.slice(1) as unknown[]).map((parameter): Parameter => {
        const [type, value] = parameter as [TypeTag, string];
        if (!TYPES.includes(type) || typeof value !== 'string') throw new Error('no parameter');
        return { type, text: value };
      });
      return { text: each[0], parameters };
    });
  } catch {
    return [emptyStatement()];
  }
}
