// What a segment of a path is by itself: a value of a kind that is known, or a word that may be
// either a value or a part of the route.
import { parameterOf } from './path.ts';

export type ValueType =
  | 'integer'
  | 'number'
  | 'uuid'
  | 'ulid'
  | 'date'
  | 'hash'
  | 'email'
  | 'slug'
  | 'string';

export interface Segment {
  text: string;
  /** The kind of value it is for sure; null for a word. */
  type: ValueType | null;
  /** How much a word looks like a value, from 0 (a name of the field) upwards; 1 for plain words. */
  weight: number;
  /** What a catalog calls the parameter that it is a value of. */
  name?: string;
}

const UUID = /^\{?(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;
const DATE =
  /^\d{4}-(?:\d{2}|W\d{2}|Q[1-4])(?:-\d{2})?(?:[T _]\d{2}[:.-]?\d{2}(?:[:.-]?\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMBER = /^[+-]?\d+\.\d+$/;
const EMAIL = /^[^@\s/]+@[^@\s/]+\.[^@\s/.]+$/;
const NAMED_WITH_DIGITS =
  /^(?:v\d{1,4}(?:\.\d{1,3}){0,2}(?:(?:alpha|beta|rc)\d*)?|(?:api|rest)[-_]?v?\d{1,2}|oauth2?|oauth1a?|web[23]|s3|ec2|k8s|i18n|l10n|a11y|p2p|b2[bc]|2fa|mfa2|ipv?[46]|utf-?(?:8|16)|base(?:32|58|64)|md5|sha-?(?:1|256|384|512)|h26[45]|mp[34]|x509|http2|oidc2|saml2|tls1|3d|360|404|500|[1-9][0-9]?x[1-9][0-9]?)$/i;

export function segmentOf(text: string): Segment {
  const type = typeOf(text);
  return { text, type, weight: type === null ? weightOf(text) : 0 };
}

function typeOf(text: string): ValueType | null {
  if (UUID.test(text)) return 'uuid';
  if (parameterOf(text) !== null) return 'string';
  if (/^[+-]?\d+$/.test(text)) return 'integer';
  if (EMAIL.test(text)) return 'email';
  if (!/\d/.test(text)) return text.length > 64 ? 'string' : null;
  if (ULID.test(text)) return 'ulid';
  if (DATE.test(text)) return 'date';
  if (NUMBER.test(text)) return 'number';
  if (/^(?:sha\d+[:-])?[0-9a-f]{7,128}$/i.test(text) && /[a-f]/i.test(text)) return 'hash';
  if (NAMED_WITH_DIGITS.test(text)) return null;
  if (text.split(/[-_.]/).every((part) => !/\d/.test(part) || NAMED_WITH_DIGITS.test(part))) {
    return null;
  }
  if (text.length > 64) return 'string';
  // A word with one digit at its end is as often a part of a route: `step1`, `level2`.
  if (/^[A-Za-z]+\d$/.test(text)) return null;
  return /^[\w.~:@+=,!$'()*-]+$/.test(text) ? 'slug' : 'string';
}

function weightOf(text: string): number {
  if (NAMED_WITH_DIGITS.test(text) || WORDS.has(text.toLowerCase())) return 0.2;
  if (/\d$/.test(text) || /[^\w.~:-]/.test(text)) return 2;
  if (/[A-Z]/.test(text) && /[a-z]/.test(text)) return 1.2;
  if (/[-_.:~]/.test(text)) return 1.4;
  return text.length > 16 ? 1.5 : 1;
}

const WORDS = new Set(
  (
    'about accept access account accounts actions activate active activity add admin aggregate alerts all api apis app ' +
    'apply approve apps archive assets assign attachments audit auth authorize avatar balance batch billing blocks ' +
    'board bulk calendar callback cancel categories category charges chat check checkout claim clone close code codes ' +
    'collections comments commit commits compare complete config configuration confirm contacts content contents copy ' +
    'count create credentials current customers dashboard data default delete deliveries deny deploy detail details ' +
    'devices diff disable discard docs documents download downloads draft drafts edit email emails enable environments ' +
    'errors evaluate events execute exists export exports extend features feed feedback feeds files filter filters find ' +
    'finalize followers following forgot forks graph graphql groups health healthz help history home hooks images ' +
    'import imports index info init install installations invitations invite invoice invoices issues items jobs join ' +
    'keys labels languages last latest leave license likes links list lists live location locations lock locks log login ' +
    'logout logs mark me media members memberships merge messages meta metadata metrics mine move name new next notes ' +
    'notifications open options order orders organizations orgs owner owners packages page pages participants password ' +
    'pause pay payment payments pending people permissions photos pin ping pipelines plans policies posts preferences ' +
    'preview previous prices private process products profile profiles projects properties public publish queue quota ' +
    'ready recent record records redirect references refresh refund refunds register reject release releases reload ' +
    'remove rename render reorder replies replay report reports repos repositories requests reset resend resolve ' +
    'resources restart restore resume retry reverse review reviews revoke roles rollback root rotate rules run runs save ' +
    'scan schedule schema scopes search secrets security self send services session sessions settings setup share ' +
    'signin signup skip snapshots source sources spec start starred state statistics stats status statuses stop stream ' +
    'submit subscribe subscribers subscription subscriptions summary suspend sync system tags tasks team teams template ' +
    'templates terms test tests threads tickets timeline token tokens topics total trace tracking transactions transfer ' +
    'transfers transitions trash trending triggers types unarchive unassign undo unlock unpin unpublish unread ' +
    'unsubscribe update upgrade upload uploads usage user users validate values variables variants verification verify ' +
    'version versions view views votes watch watchers webhook webhooks workflows'
  ).split(' '),
);
