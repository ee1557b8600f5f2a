import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licenses } from './scripts/licenses.ts';
import { workerChunk } from './scripts/worker_chunk.ts';

const server = process.env.PARTITA_URL ?? 'http://127.0.0.1:8000';

// The page calls POST / of its own origin. In development these calls go on to a server, without the headers of a page.
const proxy = {
  '^/$': {
    target: server,
    changeOrigin: true,
    bypass: (request: { method?: string; url?: string }) => (request.method === 'POST' ? undefined : request.url),
    configure: (through: { on(event: 'proxyReq', run: (request: { removeHeader(name: string): void }) => void): void }) =>
      through.on('proxyReq', (request) => {
        for (const name of ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']) request.removeHeader(name);
      }),
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [react(), licenses(), workerChunk()],
  resolve: {
    alias: {
      '#cloudscape-tokens': `${import.meta.dirname}/node_modules/@cloudscape-design/components/internal/generated/styles/tokens.js`,
    },
  },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0, // the content-security policy knows no data: beyond images
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { proxy },
  preview: { proxy },
});
