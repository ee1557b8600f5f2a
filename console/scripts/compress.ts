/** Replaces each file of dist by NAME.br and NAME.gz: the server serves these as they are. The same input gives the same bytes. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .map((name) => join(dist, name))
  .filter((name) => statSync(name).isFile())
  .sort();

let raw = 0;
let gzip = 0;
let brotli = 0;
for (const file of files) {
  const content = readFileSync(file);
  const br = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  const gz = gzipSync(content, { level: 9 });
  gz[9] = 255; // the operating system's byte, so that all systems give the same file
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
  rmSync(file);
  raw += content.length;
  gzip += gz.length;
  brotli += br.length;
  console.log(`${relative(dist, file).padEnd(48)} ${kb(content.length)} ${kb(gz.length)} ${kb(br.length)}`);
}
console.log(`${'kB: raw, gzip, brotli'.padEnd(48)} ${kb(raw)} ${kb(gzip)} ${kb(brotli)}`);

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(8);
}
