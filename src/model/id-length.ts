// How long the id of a story may be. Sources give the ids, and whoever names a story has to repeat
// its id as it is: so there is one bound for both.

/** Characters of an id. */
export const ID_MOST = 1000;
