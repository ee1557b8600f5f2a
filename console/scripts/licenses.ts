/** A plugin of Vite that writes licenses.txt: the packages whose code is in the bundle, with their licences. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const TEXT = /^(licen[cs]e|notice)(\.(md|txt))?$/i;

export function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle() {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''));
        if (found && existsSync(join(found[0], 'package.json'))) folders.add(found[0]);
      }
      const entries = [...folders].map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
        const texts = readdirSync(folder)
          .filter((file) => TEXT.test(file))
          .sort()
          .map((file) => readFileSync(join(folder, file), 'utf8').trim());
        return { head: `${name} ${version} (${license})`, text: texts.join('\n\n') };
      });
      // One copy of each text, below the packages that have it.
      const byText = new Map<string, string[]>();
      for (const { head, text } of entries.sort((a, b) => (a.head < b.head ? -1 : 1))) byText.set(text, [...(byText.get(text) ?? []), head]);
      const source = [...byText].map(([text, heads]) => `${heads.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: `The console of Partita contains:\n\n${source}` });
    },
  };
}
