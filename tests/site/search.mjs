// Asks the site's search as a page does: search.mjs SITE, a question on each line of stdin; prints the locations that
// were found, as a JSON list for each line.
import { readFileSync, readdirSync } from 'node:fs';
import vm from 'node:vm';

const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3]; // the kinds of the theme's messages
const site = process.argv[2];
const workers = `${site}/assets/javascripts/workers`;
const script = readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));
const { config, docs } = JSON.parse(readFileSync(`${site}/search/search_index.json`));

const replies = [];
const listeners = [];
const self = {
  addEventListener: (_, listener) => listeners.push(listener),
  postMessage: (message) => replies.push(message),
  location: { href: 'http://127.0.0.1/' },
  importScripts: (...urls) => { throw new Error(`the search fetches ${urls}`); },
  fetch: (url) => { throw new Error(`the search fetches ${url}`); },
  console, Intl, URL,
};
self.self = self;
vm.runInNewContext(readFileSync(`${workers}/${script}`, 'utf8'), self);

async function ask(type, data, kind) {
  for (const listener of listeners) await listener({ data: { type, data } });
  const reply = replies.pop();
  if (reply?.type !== kind) throw new Error(`the search answers ${JSON.stringify(reply)}`);
  return reply.data;
}

await ask(SETUP, { config, docs, options: { suggest: false } }, READY);
for (const question of readFileSync(0, 'utf8').trim().split('\n')) {
  const { items } = await ask(QUERY, question, RESULT);
  console.log(JSON.stringify(items.flat().map((item) => item.location)));
}
