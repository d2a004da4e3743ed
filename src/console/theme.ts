// Runs before the first paint, so that a chosen theme never flashes in the other's colours.
const chosen = localStorage.getItem('pqrs.theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
