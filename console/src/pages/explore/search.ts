/** A search of a vector index: what its form holds, and the request that it means. */
import type { InputOf, TableDescription } from '../../aws/operations.ts';
import { type Item, numberFault, own, ValueError } from '../../values/index.ts';
import { Placeholders } from './expression.ts';
import { parseOperand, printOperand } from './operand.ts';
import { type KeyAttribute, keyAttributes, type ReadTarget } from './target.ts';
import { type Faults, projection, type View } from './view.ts';

export interface Search {
  /** The numbers, as typed. */
  vector: string;
  /** How many items are asked for. */
  top: string;
  /** Attributes of the index's schema and the values they must have. */
  where: [name: string, value: string][];
}

export const emptySearch = (): Search => ({ vector: '', top: '10', where: [] });

export const whereOf = (search: Search, name: string): string => search.where.find((each) => each[0] === name)?.[1] ?? '';

/** The numbers of a text such as "[0.1, 0.2]" or "0.1 0.2", digit by digit. */
export function parseVector(text: string, dimensions: number): string[] {
  const numbers = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,]+/).filter(Boolean);
  if (!numbers.length) throw new ValueError('', 'A vector is expected.');
  for (const each of numbers) {
    const fault = numberFault(each);
    if (fault) throw new ValueError('', `${each.slice(0, 20)}: ${fault}`);
  }
  if (numbers.length !== dimensions) throw new ValueError('', `The index has ${dimensions} dimensions; ${numbers.length} are given.`);
  return numbers;
}

/** The partition of an item, for a search of items like it. */
export function whereOfItem(item: Item, target: ReadTarget): Search['where'] {
  return target.partition.flatMap(({ name }) => {
    const value = own(item, name);
    return value ? [[name, printOperand(value)]] : [];
  });
}

/** The attributes that a condition may name; that of the partition comes first and is needed. */
export const schemaOf = (target: ReadTarget): KeyAttribute[] => [...target.partition, ...(target.vector?.filters ?? [])];

export function faultsOfSearch(view: View, target: ReadTarget): Faults {
  const faults: Faults = new Map();
  const attempt = (field: string, run: () => unknown) => {
    try {
      run();
    } catch (error) {
      faults.set(field, (error as Error).message);
    }
  };
  const search = view.search ?? emptySearch();
  if (!target.vector) return faults.set('vector', 'The table has no vector index.');
  attempt('vector', () => parseVector(search.vector, target.vector!.dimensions));
  if (!/^[1-9]\d{0,2}$/.test(search.top)) faults.set('top', 'A whole number from 1 to 100 is expected.');
  for (const { name, type } of schemaOf(target)) {
    const text = whereOf(search, name);
    if (text !== '') attempt(name, () => parseOperand(type, text));
    else if (target.partition.some((each) => each.name === name)) faults.set(name, 'A value is needed: a search reads one partition.');
  }
  return faults;
}

/** The request, if nothing is at fault. */
export function searchInput(view: View, table: TableDescription, target: ReadTarget, exact = false): InputOf<'SearchVectors'> {
  const search = view.search ?? emptySearch();
  const into = new Placeholders();
  const tests = schemaOf(target)
    .filter(({ name }) => whereOf(search, name) !== '')
    .map(({ name, type }) => `${into.name(name)} = ${into.value(parseOperand(type, whereOf(search, name)))}`);
  const input: InputOf<'SearchVectors'> = {
    TableName: table.TableName,
    IndexName: target.index,
    TopK: Number(search.top),
    SearchVector: parseVector(search.vector, target.vector!.dimensions).map((N) => ({ N })),
  };
  if (tests.length) input.SearchConditionExpression = tests.join(' AND ');
  if (view.projection.trim()) input.ProjectionExpression = projection(view.projection, exact ? [] : keyAttributes(table), into);
  Object.assign(input, into.members());
  if (!exact) input.ReturnConsumedCapacity = 'TOTAL';
  return input;
}
