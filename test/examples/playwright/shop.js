import { createServer } from 'node:http';

const prices = new Map([['tea', 4.5]]);
let isWarm = false;

createServer(({ url }, answer) => {
  const price = prices.get(url.slice('/articles/'.length));
  const status = url === '/' ? 200 : !isWarm ? 503 : price === undefined ? 404 : 200;
  if (url !== '/') isWarm = true;
  answer.writeHead(status, { 'Content-Type': 'application/json' });
  answer.end(JSON.stringify({ price: price?.toFixed(1) }));
}).listen(Number(process.argv[2]), '127.0.0.1');
