// Types for Gherkin features imported as text.
declare module '*.feature' {
  const text: string;
  export default text;
}
