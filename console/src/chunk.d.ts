declare module '*?chunk' {
  /** The address of the file. */
  const url: string;
  export default url;
}
