/** A plugin of Vite: `import url from './x.ts?chunk'` is the address of a worker that shares its code with the page's chunks. */
import type { Plugin } from 'vite';

const QUERY = '?chunk';

export function workerChunk(): Plugin {
  let building = false;
  return {
    name: 'worker-chunk',
    enforce: 'pre',
    configResolved(config) {
      building = config.command === 'build';
    },
    async resolveId(source, importer) {
      if (!source.endsWith(QUERY)) return null;
      const found = await this.resolve(source.slice(0, -QUERY.length), importer);
      return found && `\0${found.id}${QUERY}`;
    },
    load(id) {
      if (!id.startsWith('\0') || !id.endsWith(QUERY)) return null;
      const file = id.slice(1, -QUERY.length);
      if (!building) return `export { default } from ${JSON.stringify(`${file}?worker&url`)};`;
      const reference = this.emitFile({ type: 'chunk', id: file, name: 'worker' });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}
