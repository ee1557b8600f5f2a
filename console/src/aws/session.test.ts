import assert from 'node:assert/strict';
import { test } from 'node:test';

const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  },
});
const { logIn, logOut, sameSession, session } = await import('./session.ts');

const temporary = { accessKeyId: 'A', secretAccessKey: 's', sessionToken: 't', expiresAt: Date.now() + 1e6 };

test('credentials are kept for the tab by choice, and no longer than the login that chose it', () => {
  logIn(temporary, 'arn:a', true);
  assert.equal(kept.size, 1);
  logIn({ ...temporary, accessKeyId: 'B' }, 'arn:b', false);
  assert.equal(kept.size, 0);
  logIn({ accessKeyId: 'A', secretAccessKey: 's' }, 'arn:a', true);
  assert.equal(kept.size, 0);
  logIn(temporary, 'arn:a', true);
  logOut();
  assert.equal(kept.size, 0);
});

test('work that began in one namespace, or as one user, does not go on in another', () => {
  logIn(temporary, 'arn:a', false);
  const check = sameSession();
  logIn({ ...temporary, accessKeyId: 'A2' }, 'arn:a', false);
  check();
  session.set((before) => ({ ...before, namespace: 'other' }));
  assert.throws(check, /namespace was changed/);
  const again = sameSession();
  logIn(temporary, 'arn:b', false);
  assert.throws(again, /Somebody else/);
});
