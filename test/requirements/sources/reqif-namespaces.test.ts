// Names with prefixes, as declarations come and go with the elements that make them.
import { describe, expect, test } from 'bun:test';
import { createNamespaces } from '../../../src/requirements/sources/reqif-namespaces.ts';

const REQIF = 'http://www.omg.org/spec/ReqIF/20110401/reqif.xsd';
const XHTML = 'http://www.w3.org/1999/xhtml';

describe('a name', () => {
  test('is of the namespace that its prefix stands for where it is', () => {
    const names = createNamespaces();
    expect(names.open('a', undefined)).toEqual({ local: 'a', uri: '', space: 'other' });
    expect(names.open('a', { xmlns: REQIF, 'xmlns:x': XHTML })).toMatchObject({ space: 'reqif' });
    expect(names.open('x:a', undefined)).toEqual({ local: 'a', uri: XHTML, space: 'xhtml' });
    expect(names.open('x:a', { 'xmlns:x': 'urn:y' })).toMatchObject({ uri: 'urn:y' });
    expect(names.open('x:a', undefined)).toMatchObject({ uri: 'urn:y', space: 'other' });
    names.close();
    names.close();
    expect(names.open('x:a', undefined)).toMatchObject({ space: 'xhtml' });
    names.close();
    names.close();
    names.close();
    expect(names.open('a', undefined)).toMatchObject({ uri: '' });
    names.close();
    expect(names.open('x:a', undefined)).toBe('unbound namespace prefix: "x"');
  });

  test('has no namespace where the default is taken back', () => {
    const names = createNamespaces();
    names.open('a', { xmlns: REQIF });
    expect(names.open('b', { xmlns: '' })).toMatchObject({ uri: '', space: 'other' });
    names.close();
    expect(names.open('b', undefined)).toMatchObject({ space: 'reqif' });
  });

  test.each([
    ['x:a', { b: '1' }, 'unbound namespace prefix: "x"'],
    ['a', { 'y:b': '1' }, 'unbound namespace prefix: "y"'],
    ['a', { 'xmlns:y': '', 'y:b': '1' }, 'unbound namespace prefix: "y"'],
    ['a:b:c', undefined, 'malformed name: a:b:c'],
    [':a', undefined, 'malformed name: :a'],
    ['a:', undefined, 'malformed name: a:'],
  ])('%s with %j is refused', (name, attributes, fault) => {
    expect(createNamespaces().open(name, attributes as Record<string, string>)).toBe(fault);
  });

  test('may have the prefix xml without a declaration', () => {
    expect(createNamespaces().open('a', { 'xml:lang': 'en' })).toMatchObject({ local: 'a' });
  });

  test('of which there are very many is still resolved', () => {
    const names = createNamespaces();
    names.open('a', { 'xmlns:x': XHTML });
    for (let at = 0; at < 5000; at += 1) {
      expect(names.open(`x:n${at}`, undefined)).toMatchObject({ local: `n${at}`, uri: XHTML });
      names.close();
    }
  });
});
