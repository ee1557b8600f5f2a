/** A request as Python with boto3's client. */
import { kebab } from './cli.ts';
import { binariesOf, binaryOf, clean, isPaged, isStreams, layout, listOf, type Node, type Request, type Syntax, type Target } from './shape.ts';

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

export function python3(of: Request | Request[], target: Target): string {
  const requests = listOf(of);
  const calls = requests.map((each) => {
    const lines = Object.entries(clean(each.input)).map(([name, value]) => `    ${name}=${layout(value, python, '    ')},`);
    const name = kebab(each.operation).replace(/-/g, '_');
    const [call, end] = isPaged(each) ? [`get_paginator(${quote(name)}).paginate`, '.build_full_result()'] : [name, ''];
    return `client.${call}(${lines.length ? `\n${lines.join('\n')}\n` : ''})${end}\n`;
  });
  const decode = calls.some((call) => call.includes('b64decode(')) ? 'from base64 import b64decode\n\n' : '';
  const service = isStreams(requests[0]!.operation) ? 'dynamodbstreams' : 'dynamodb';
  return (
    `${decode}import boto3\n\n` +
    `client = boto3.client(${quote(service)}, endpoint_url=${quote(target.endpoint)}, region_name=${quote(target.region)})\n` +
    calls.map((call) => (requests.length > 1 ? call : `response = ${call}`)).join('')
  );
}
