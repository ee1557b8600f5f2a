/** Sample items of a model's table as CSV, in the form that Import and Export have. */
import { ValueError } from '../../values/convert.ts';
import type { Item, TypeTag } from '../../values/types.ts';
import { CsvColumns, type CsvColumn, CsvReader, columnsOf, itemOfRow, separatorOf } from '../transfer/csv.ts';
import { allKeys, keyFault, type ModelTable } from './file.ts';

export function samplesCsv(table: ModelTable): string {
  const columns = new CsvColumns(allKeys(table.keys));
  for (const item of table.items) columns.add(item);
  return columns.header(false) + table.items.map((item) => columns.row(item, false)).join('');
}

export interface CsvSamples {
  items: Item[];
  /** Rows that cannot be items of the table, and why. */
  faults: string[];
}

/** Types that the header does not name are the model's; others are guessed cell by cell. Throws CsvError. */
export function samplesFromCsv(source: string, table: ModelTable): CsvSamples {
  const text = source.replace(/^\ufeff/, '');
  const reader = new CsvReader(separatorOf(text.slice(0, text.search(/[\r\n]|$/))));
  const [header, ...rows] = [...reader.push(text), ...reader.end()];
  const found: CsvSamples = { items: [], faults: [] };
  if (!header) return found;
  const columns: CsvColumn[] = columnsOf(header);
  const keys = Object.fromEntries([...allKeys(table.keys), ...table.attributes].map((each): [string, TypeTag] => [each.name, each.type]));
  for (const [index, row] of rows.entries()) {
    try {
      const item = itemOfRow(row, columns, { keys, guess: true });
      const fault = keyFault(item, table.keys);
      if (fault) found.faults.push(`Row ${index + 1}: ${fault}`);
      else found.items.push(item);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      found.faults.push(`Row ${index + 1}: ${error.message}`);
    }
  }
  return found;
}
