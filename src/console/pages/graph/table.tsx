// The neighbourhood as a table: the same for those who see no drawing.
import type { Neighbour, Neighbourhood } from '../../../assurance/graph/model.ts';
import { href } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import { OutcomeIcon, SeverityIcon, StatusTag } from '../../parts/status.tsx';
import { hangingText } from './boxes.ts';

interface TableProps {
  found: Neighbourhood;
  addressOf(id: string): string;
}

export function NeighbourTable({ found, addressOf }: TableProps) {
  return (
    <Card title="The nearest first">
      <table class="near-table">
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Steps</th>
            <th scope="col">Links</th>
            <th scope="col">Status</th>
            <th scope="col">Tests and issues</th>
            <th scope="col">Verdict</th>
            <th scope="col">Left out</th>
          </tr>
        </thead>
        <tbody>
          {found.nodes.map((node) => (
            <Row key={node.id} node={node} found={found} addressOf={addressOf} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const SHOWN = 3;

function Row({ node, found: { root, edges }, addressOf }: TableProps & { node: Neighbour }) {
  const { id, title, steps, status, inherited, validation, leftOut } = node;
  const links = edges.filter(({ from }) => from === id);
  const away = leftOut.up + leftOut.down;
  return (
    <tr>
      <th scope="row">
        <a class="link" href={id === root ? href('requirements', id) : addressOf(id)} data-row>
          {title || id}
        </a>
        <small class="mono">{id}</small>
      </th>
      <td class="number">{steps}</td>
      <td class="small mono">
        {links.slice(0, SHOWN).map(({ type, to, status: link }) => (
          <div key={`${type} ${to}`}>
            {type} {to}
            {link !== 'ok' && `, ${link}`}
          </div>
        ))}
        {links.length > SHOWN && `and ${links.length - SHOWN} more`}
      </td>
      <td>
        {status && (
          <StatusTag status={status}>{inherited ? `${status}, by its parts` : status}</StatusTag>
        )}
      </td>
      <td>
        {hangingText(node) && (
          <a href={href('requirements', id)}>
            {hangingText(node)} <Shapes node={node} />
          </a>
        )}
      </td>
      <td>{validation && `${validation.verdict}, ${validation.standing}`}</td>
      <td>
        {away > 0 && (
          <a class="link" href={addressOf(id)}>
            {away} more
          </a>
        )}
      </td>
    </tr>
  );
}

function Shapes({ node: { tests = [], issues = [] } }: { node: Neighbour }) {
  return (
    <>
      {tests.map(({ id, result }) => (
        <OutcomeIcon key={id} outcome={result ?? 'not run'} size="small" />
      ))}
      {issues.map(({ id, severity }) => (
        <SeverityIcon key={id} severity={severity} size="small" />
      ))}
    </>
  );
}
