/** The form of a new sink: its faults, the request, and the same as a command of the server's machine. */
import { shellQuote } from '../../codegen/index.ts';
import { isObject, parseJson } from '../../values/index.ts';
import { type SinkKind, schemeOf } from './sink_kinds.ts';

export interface SinkForm {
  url: string;
  name: string;
  /** Options of the kind by name; '' leaves one as it is. */
  options: Record<string, string>;
  /** Of a kind whose options this page does not know: NAME=VALUE, one a line. */
  more: string;
  /** Of search engines. */
  index: string;
  fields: string;
  flat: boolean;
  filter: string;
  filterValues: string;
  filterNames: string;
  backlog: string;
  /** What only the command takes. */
  credentials: string;
  authority: string;
  deadLetters: string;
}

export const newSink = (): SinkForm => ({
  url: '', name: '', options: {}, more: '', index: '', fields: '', flat: false, filter: '', filterValues: '', filterNames: '', backlog: '', credentials: '', authority: '', deadLetters: '',
});

export type SinkFaults = Partial<Record<keyof SinkForm, string>>;

const MIB = 1024 * 1024;

function objectFault(text: string): string | undefined {
  if (!text.trim()) return undefined;
  try {
    return isObject(parseJson(text)) ? undefined : 'An object: {…}.';
  } catch (error) {
    return (error as Error).message;
  }
}

export function sinkFaults(form: SinkForm, kind: SinkKind): SinkFaults {
  const faults: SinkFaults = {};
  const scheme = schemeOf(form.url);
  if (!kind.schemes.includes(scheme)) faults.url = `The URL begins with ${kind.schemes.map((each) => `${each}://`).join(' or ')}.`;
  if (form.name.trim() && !/^[\w.-]{1,64}$/.test(form.name.trim())) faults.name = 'A name has 1 to 64 letters, digits, _, - and .';
  const backlog = form.backlog.trim();
  if (backlog && !(/^\d{1,9}$/.test(backlog) && Number(backlog) > 0)) faults.backlog = 'A whole number of MiB, from 1.';
  if (!kind.options && linesOf(form.more).some((each) => each.indexOf('=') < 1)) faults.more = 'Each line is NAME=VALUE.';
  const values = objectFault(form.filterValues);
  if (values) faults.filterValues = values;
  const names = objectFault(form.filterNames);
  if (names) faults.filterNames = names;
  if (!form.filter.trim() && (form.filterValues.trim() || form.filterNames.trim())) faults.filter = 'There are names or values of a filter, and no filter.';
  return faults;
}

/** Why only the command creates it; undefined: the console can, if the server allows its host. */
export function onlyByCommand(form: SinkForm, kind: SinkKind, table: string): string | undefined {
  if (kind.machine) return 'It uses files or ports of the server’s machine: run the command there.';
  const takesFiles = (kind.credentials && form.credentials.trim()) || (kind.authority && form.authority.trim());
  if (takesFiles) return 'It names files of the server’s machine: run the command there.';
  const letters = form.deadLetters.trim();
  if (letters && letters !== `${table}-dead-letters`) return 'Another table for dead letters is chosen: run the command on the server’s machine.';
  return undefined;
}

const linesOf = (text: string): string[] => text.split('\n').map((each) => each.trim()).filter(Boolean);
const listOf = (text: string): string[] => text.split(',').map((each) => each.trim()).filter(Boolean);

function optionsOf(form: SinkForm, kind: SinkKind): [string, string][] {
  if (!kind.changes) return [];
  if (!kind.options) return linesOf(form.more).map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]);
  return kind.options.filter((each) => form.options[each.name]?.trim()).map((each) => [each.name, form.options[each.name]!.trim()]);
}

/** The input of CreateSink. Precondition: no faults. */
export function sinkInput(form: SinkForm, kind: SinkKind, table: string): Record<string, unknown> {
  const text = (value: string) => value.trim() || undefined;
  const object = (value: string) => (value.trim() ? (JSON.parse(value) as object) : undefined);
  const options = optionsOf(form, kind);
  const fields = kind.changes ? [] : listOf(form.fields);
  return {
    TableName: table,
    SinkName: text(form.name),
    Url: form.url.trim(),
    Options: options.length ? Object.fromEntries(options) : undefined,
    IndexName: kind.changes ? undefined : text(form.index),
    Fields: fields.length ? fields : undefined,
    Document: !kind.changes && form.flat ? 'flat' : undefined,
    FilterExpression: text(form.filter),
    ExpressionAttributeValues: object(form.filterValues),
    ExpressionAttributeNames: object(form.filterNames),
    MaxBacklogBytes: form.backlog.trim() ? Number(form.backlog) * MIB : undefined,
  };
}

/** The verb that creates the same sink, for a shell of the server's machine. */
export function sinkCommand(form: SinkForm, kind: SinkKind, table: string): string {
  const words = [`partita sink create ${shellQuote(table)} --to ${shellQuote(form.url.trim() || kind.example)}`];
  const say = (flag: string, value: string) => value.trim() && words.push(`--${flag} ${shellQuote(value.trim())}`);
  say('name', form.name);
  for (const [name, value] of optionsOf(form, kind)) words.push(`--set ${shellQuote(`${name}=${value}`)}`);
  if (!kind.changes) {
    say('index', form.index);
    say('fields', listOf(form.fields).join(','));
    if (form.flat) say('document', 'flat');
  }
  say('filter', form.filter);
  say('filter-values', form.filterValues);
  say('filter-names', form.filterNames);
  say('max-backlog', form.backlog);
  if (kind.credentials) say('credentials', form.credentials);
  if (kind.authority) say('authority', form.authority);
  say('dead-letters', form.deadLetters);
  return words.join(' \\\n  ');
}
