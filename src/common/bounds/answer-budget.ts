/** Memory that one operation may take for what it reads and answers, out of what the process has for all of them. */
export interface AnswerBudget {
  /**
   * Reserves memory for rows as soon as their size is known; it is given back once the answer is sent.
   * @throws PAYLOAD_TOO_LARGE over what one operation may hold, SERVICE_UNAVAILABLE when the process has none left
   */
  reserve(sizeBytes: number): Promise<void>;
}
