import * as c from 'node:crypto';
const t='x'.repeat(300); const N=50000;
let a=performance.now(); for(let i=0;i<N;i++) c.createHash('sha256').update(t+i).digest('hex'); console.log('createHash',(performance.now()-a)*1000/N);
a=performance.now(); for(let i=0;i<N;i++) (c as any).hash('sha256',t+i,'hex'); console.log('hash',(performance.now()-a)*1000/N);
a=performance.now(); for(let i=0;i<N;i++) (t+i).normalize('NFC').replace(/\s+/gu,' ').trim(); console.log('fold',(performance.now()-a)*1000/N);
const W=/[^\x21-\x7e ]|^ |  | $/; a=performance.now(); for(let i=0;i<N;i++) W.test(t+i); console.log('test',(performance.now()-a)*1000/N);
