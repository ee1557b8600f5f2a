/** A request as Python with boto3's client. */
import { kebab } from './cli.ts';
import { binariesOf, binaryOf, clean, isStreams, layout, type Node, type Request, type Syntax, type Target } from './shape.ts';

function quote(text: string): string {
  // JSON's escapes are Python's, apart from surrogate pairs, which JSON.stringify leaves as characters.
  return JSON.stringify(text);
}

const python: Syntax = {
  step: '    ',
  lastComma: ',',
  pad: '',
  name: quote,
  leaf(node: Node) {
    const binary = binaryOf(node);
    if (binary !== undefined) return `{"B": b64decode(${quote(binary)})}`;
    const binaries = binariesOf(node);
    if (binaries) return `{"BS": [${binaries.map((each) => `b64decode(${quote(each)})`).join(', ')}]}`;
    if (node === null) return 'None';
    if (typeof node === 'boolean') return node ? 'True' : 'False';
    return typeof node === 'object' ? undefined : typeof node === 'string' ? quote(node) : String(node);
  },
};

export function python3(request: Request, target: Target): string {
  const input = clean(request.input);
  const lines = Object.entries(input).map(([name, value]) => `    ${name}=${layout(value, python, '    ')},`);
  const method = kebab(request.operation).replace(/-/g, '_');
  const body = lines.length ? `(\n${lines.join('\n')}\n)` : '()';
  const decode = lines.some((line) => line.includes('b64decode(')) ? 'from base64 import b64decode\n\n' : '';
  const service = isStreams(request.operation) ? 'dynamodbstreams' : 'dynamodb';
  return (
    `${decode}import boto3\n\n` +
    `client = boto3.client(${quote(service)}, endpoint_url=${quote(target.endpoint)}, region_name=${quote(target.region)})\n` +
    `response = client.${method}${body}\n`
  );
}
