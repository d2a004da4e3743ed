// What `npm run migration` reads: the tables, and where a migration for their changes goes.
// biome-ignore lint/style/noDefaultExport: it is what drizzle-kit reads
export default { dialect: 'sqlite', schema: './src/store/tables/*.ts', out: './drizzle' };
