/** The tests' own guard: a fault of any page, worker or context is seen, no test runs without it, and no page is passed over. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './fixtures.ts';
import { PLACES } from './places.ts';

/** Waits for a fault that this test provokes, and takes it off the list. */
async function provoked(faults: string[], wanted: RegExp): Promise<void> {
  await expect.poll(() => faults.find((each) => wanted.test(each))).toBeTruthy();
  faults.length = 0;
}

test('a policy that is broken, a request elsewhere and an exception fail a test', async ({ open, page, context, browser, server, faults }) => {
  await server.createTable('Music');
  const other = createServer((_, response) => response.end('<p>other'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  try {
    await open('tables');
    await expect(page.getByRole('link', { name: 'Music' })).toBeVisible();
    expect(faults).toEqual([]);
    await page.evaluate(() => document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' })));
    await provoked(faults, /^policy: /);
    await page.evaluate(() => { try { document.body.innerHTML = '<p>'; } catch { /* refused */ } });
    await provoked(faults, /^policy: /);
    await page.evaluate((url) => fetch(url).catch(() => undefined), elsewhere);
    await provoked(faults, /^policy: /);
    await page.evaluate(() => void setTimeout(() => { throw new Error('on purpose'); }));
    await provoked(faults, /^exception: on purpose/);

    // In the worker of an import, before it has a job.
    await open('import?table=Music');
    const started = page.waitForEvent('worker');
    await page.evaluate(() => {
      const Real = Worker;
      // It gets no job, so that it does not end.
      window.Worker = class extends Real { override postMessage() {} } as typeof Worker;
    });
    await page.getByTestId('import-file').setInputFiles({ name: 'a.jsonl', mimeType: 'text/plain', buffer: Buffer.from('{}') });
    const worker = await started;
    expect(faults).toEqual([]);
    await worker.evaluate((url) => fetch(url).catch(() => undefined), elsewhere);
    await provoked(faults, /^policy: .*connect-src/);

    for (const each of [await context.newPage(), await (await browser.newContext()).newPage()]) {
      await each.goto(elsewhere);
      await provoked(faults, /^left the origin: /);
      await each.evaluate((url) => fetch(url, { mode: 'no-cors' }).catch(() => undefined), server.url);
      await provoked(faults, /^left the origin: /);
    }
  } finally {
    other.close();
    other.closeAllConnections();
  }
});

test('every test has the guard', () => {
  for (const name of readdirSync(import.meta.dirname).filter((each) => each.endsWith('.spec.ts'))) {
    const text = readFileSync(new URL(name, import.meta.url), 'utf8');
    expect(text, name).toMatch(/import \{[^}]*\btest\b[^}]*\} from '\.\/fixtures\.ts'/);
    expect(text, name).not.toMatch(/import \{[^}]*\b(?<!type )(test|chromium)\b[^}]*\} from '@?playwright/);
  }
});

test('every route of the console is among the places', () => {
  const pages = new URL('../../console/src/pages/', import.meta.url);
  const routes = readdirSync(pages).flatMap((each) => [...readFileSync(new URL(`${each}/routes.ts`, pages), 'utf8').matchAll(/\{ path: '([^']*)', nav/g)].map((found) => found[1]!));
  expect(routes.length).toBeGreaterThan(12);
  const paths = PLACES.map((each) => each.split('?')[0]!);
  // '' is the list of tables; the login is a page only where signatures are verified.
  for (const route of routes.filter((each) => each && each !== 'login')) {
    expect(paths.some((path) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)), route).toBe(true);
  }
});
