import { defineConfig } from '@playwright/test';

// Names that lead to this machine, as DNS rebinding makes them.
const names = 'MAP evil.test 127.0.0.1, MAP evil6.test [::1]';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  workers: 1, // the machines that run this are small
  fullyParallel: true, // with more workers: each test has a server of its own
  timeout: 60_000, // generous, for machines that do other work besides
  expect: { timeout: 15_000 },
  retries: 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', `--host-resolver-rules=${names}`] },
    trace: 'off',
  },
});
