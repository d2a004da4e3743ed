import { defineConfig } from '@playwright/test';

const port = process.env.SHOP_PORT ?? '4180';

export default defineConfig({
  testDir: 'tests',
  retries: 1,
  workers: 1,
  reporter: [['line'], ['junit', { outputFile: 'junit.xml', includeRetries: true }]],
  use: { baseURL: `http://127.0.0.1:${port}` },
  webServer: { command: `node shop.js ${port}`, url: `http://127.0.0.1:${port}/` },
});
