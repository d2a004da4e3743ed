import { buildGraph } from './src/requirements/graph/build.ts';
import { graphFindings } from './src/requirements/audit/graph-findings.ts';
const n=25000;
const items = Array.from({ length: n }, (_, at) => ({id: `REQ-${at}`, kind: 'requirement', title: `Requirement ${at}`, acceptance: [`It holds in case ${at}`], statement: `When event ${at} comes, the system shall answer within ${at % 90} s and note the answer in its log.`, rationale: null, status: 'approved', priority: null, tags: ['a'], attributes: {}, path: `doc-${Math.floor(at / 500)}.md`, line: at % 500, parentId: null, active: true })) as any[];
const links = items.slice(1).map((item, at) => ({ from: item.id, to: `REQ-${Math.floor(at / 3)}`, type: 'refines', path: item.path, line: item.line })) as any[];
for (let i=0;i<4;i++){ let a=performance.now(); const g=buildGraph({items,links},['kind','title','statement','acceptance','links']); const b=performance.now(); graphFindings(g); console.log('build',b-a,'audit',performance.now()-b); }
