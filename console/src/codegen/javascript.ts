/** A request as JavaScript with the AWS SDK v3. */
import { binariesOf, binaryOf, clean, isStreams, layout, type Node, type Request, type Syntax, type Target } from './shape.ts';

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

export function javascript3(request: Request, target: Target): string {
  const [client, module] = isStreams(request.operation)
    ? ['DynamoDBStreamsClient', '@aws-sdk/client-dynamodb-streams']
    : ['DynamoDBClient', '@aws-sdk/client-dynamodb'];
  const command = `${request.operation}Command`;
  const input = layout(clean(request.input), javascript, '');
  return (
    `import { ${client}, ${command} } from ${JSON.stringify(module)};\n\n` +
    `const client = new ${client}({ endpoint: ${JSON.stringify(target.endpoint)}, region: ${JSON.stringify(target.region)} });\n` +
    `const response = await client.send(new ${command}(${input === '{}' ? '{}' : input}));\n`
  );
}
