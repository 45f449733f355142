/** Memory that one operation may take for its rows and its answer, out of the memory for all operations of the process. */
export interface AnswerBudget {
  /**
   * Reserves memory for rows as soon as their size is known; it is released once the answer is sent.
   * @throws PAYLOAD_TOO_LARGE over the limit of one operation; SERVICE_UNAVAILABLE if the process has no memory left
   */
  reserve(sizeBytes: number): Promise<void>;
  /** Calls `stop` once the operation is over and no longer needs the rows, unless the returned function is called before. */
  onOver(stop: () => void): () => void;
  /**
   * Ends work that has changed nothing yet. A mutation is not over while a root field runs, though its caller may have left.
   * @throws once the operation is over or its caller has disconnected
   */
  throwIfLeft(): void;
}
