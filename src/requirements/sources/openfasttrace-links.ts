export { linkType } from './openfasttrace/item.ts';
