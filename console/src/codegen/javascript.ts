/** A request as JavaScript with the AWS SDK v3. */
import { binariesOf, binaryOf, clean, isStreams, layout, listOf, type Node, type Request, type Syntax, type Target } from './shape.ts';

const bytes = (base64: string) => `Buffer.from(${JSON.stringify(base64)}, "base64")`;

const javascript: Syntax = {
  step: '  ',
  lastComma: ',',
  pad: ' ',
  // `__proto__: x` in a literal sets the prototype; `["__proto__"]: x` makes a member.
  name: (name) => (name === '__proto__' ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
  leaf(node: Node) {
    const binary = binaryOf(node);
    if (binary !== undefined) return `{ B: ${bytes(binary)} }`;
    const binaries = binariesOf(node);
    if (binaries) return `{ BS: [${binaries.map(bytes).join(', ')}] }`;
    return typeof node === 'object' && node !== null ? undefined : JSON.stringify(node);
  },
};

export function javascript3(of: Request | Request[], target: Target): string {
  const requests = listOf(of);
  const [client, module] = isStreams(requests[0]!.operation)
    ? ['DynamoDBStreamsClient', '@aws-sdk/client-dynamodb-streams']
    : ['DynamoDBClient', '@aws-sdk/client-dynamodb'];
  const commands = new Set(requests.map((each) => `${each.operation}Command`));
  const reply = requests.length > 1 ? '' : 'const response = ';
  return (
    `import { ${[client, ...commands].join(', ')} } from ${JSON.stringify(module)};\n\n` +
    `const client = new ${client}({ endpoint: ${JSON.stringify(target.endpoint)}, region: ${JSON.stringify(target.region)} });\n` +
    requests.map((each) => `${reply}await client.send(new ${each.operation}Command(${layout(clean(each.input), javascript, '')}));\n`).join('')
  );
}
