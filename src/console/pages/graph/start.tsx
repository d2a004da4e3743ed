// Where a graph begins: any id, or a document.
import type { DocumentTree } from '../../../assurance/graph/model.ts';
import { type Answer, api, useAnswer } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { go, href } from '../../core/route.ts';
import { Card, PageHead, SmallStatusBar } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';

const SHOWN = 200;

export function Start() {
  const tree = useAnswer(
    (signal) => api()['srs-graph'].get({ query: { view: 'document' }, fetch: { signal } }),
    [],
  ) as Answer<DocumentTree>;
  return (
    <>
      <PageHead title="Graph" sub="The neighbourhood of a requirement or of a document" />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const id = new FormData(event.currentTarget).get('id');
          if (typeof id === 'string' && id.trim() !== '') go(href('graph', id.trim()));
        }}
      >
        <input class="input" name="id" aria-label="Id" placeholder="An id" required />
        <button type="submit" class="button primary">
          Show it
        </button>
      </form>
      <Load answer={tree}>
        {({ documents }) =>
          documents.length === 0 ? (
            <Empty title="There are no requirements yet">
              <a class="button" href={href('sources')}>
                Import a folder
              </a>
            </Empty>
          ) : (
            <Card title="Documents">
              {documents.slice(0, SHOWN).map(
                ({ id, title, requirements, statuses }) =>
                  id !== null && (
                    <a key={id} class="row" href={href('graph', id)} data-row>
                      <span class="grow">{title}</span>
                      <span class="faint small">{counted(requirements, 'requirement')}</span>
                      <SmallStatusBar counts={statuses} />
                    </a>
                  ),
              )}
              {documents.length > SHOWN && (
                <p class="inside faint small">
                  {documents.length - SHOWN} more:{' '}
                  <a class="link" href={href('requirements')}>
                    find them among the requirements
                  </a>
                </p>
              )}
            </Card>
          )
        }
      </Load>
    </>
  );
}
