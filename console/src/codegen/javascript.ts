/** A request as JavaScript with the AWS SDK v3. */
import { binariesOf, binaryOf, clean, isPaged, isStreams, layout, listOf, type Node, type Request, type Syntax, type Target } from './shape.ts';

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

/** The pages added up, with the members that a single reply has. */
function readAll({ operation, input }: Request): string {
  return (
    'const response = { Items: [], Count: 0, ScannedCount: 0 };\n' +
    `const pages = paginate${operation}({ client }, ${layout(clean(input), javascript, '')});\n` +
    'for await (const page of pages) {\n' +
    '  response.Items.push(...(page.Items ?? []));\n' +
    '  response.Count += page.Count;\n' +
    '  response.ScannedCount += page.ScannedCount;\n' +
    '}\n'
  );
}

export function javascript3(of: Request | Request[], target: Target): string {
  const requests = listOf(of);
  const [client, module] = isStreams(requests[0]!.operation)
    ? ['DynamoDBStreamsClient', '@aws-sdk/client-dynamodb-streams']
    : ['DynamoDBClient', '@aws-sdk/client-dynamodb'];
  const paged = requests.length === 1 && isPaged(requests[0]!);
  const names = new Set(requests.map(({ operation }) => (paged ? `paginate${operation}` : `${operation}Command`)));
  const reply = requests.length > 1 ? '' : 'const response = ';
  return (
    `import { ${[client, ...names].join(', ')} } from ${JSON.stringify(module)};\n\n` +
    `const client = new ${client}({ endpoint: ${JSON.stringify(target.endpoint)}, region: ${JSON.stringify(target.region)} });\n` +
    (paged
      ? readAll(requests[0]!)
      : requests.map((each) => `${reply}await client.send(new ${each.operation}Command(${layout(clean(each.input), javascript, '')}));\n`).join(''))
  );
}
