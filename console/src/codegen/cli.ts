/** A request as a command of the AWS CLI, for a POSIX shell. */
import { clean, isStreams, layout, type Node, type Request, type Syntax, type Target } from './shape.ts';

/** The names that the CLI gives to operations and members: 'SSESpecification' → 'sse-specification'. */
export function kebab(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
}

export function shellQuote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

const json: Syntax = {
  step: '  ',
  lastComma: '',
  pad: '',
  name: (name) => JSON.stringify(name),
  leaf: (node) => (typeof node === 'object' && node !== null ? undefined : JSON.stringify(node)),
};

function argument(value: Node, option: string): string {
  if (typeof value === 'object') return `'${layout(value, json, '  ', 66 - option.length).replace(/'/g, `'\\''`)}'`;
  // The CLI reads file://NAME and http://NAME from there; inside JSON it does not.
  return shellQuote(String(value));
}

export function cli(request: Request, target: Target): string {
  const lines = [`aws ${isStreams(request.operation) ? 'dynamodbstreams' : 'dynamodb'} ${kebab(request.operation)}`];
  for (const [name, value] of Object.entries(clean(request.input))) {
    const option = kebab(name);
    if (typeof value === 'boolean') lines.push(value ? `--${option}` : `--no-${option}`);
    else if (Array.isArray(value) && value.length && value.every((each) => typeof each === 'string')) {
      lines.push(`--${option} ${value.map((each) => shellQuote(String(each))).join(' ')}`);
    } else lines.push(`--${option} ${argument(value, option)}`);
  }
  lines.push(`--endpoint-url ${shellQuote(target.endpoint)} --region ${shellQuote(target.region)}`);
  return lines.join(' \\\n  ');
}
