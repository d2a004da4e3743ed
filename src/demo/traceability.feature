Feature: Traceability and validation
  # Stories are linked to what verifies them, and verdicts hold for the content that they judged.

  @PQRS-28 @PQRS-30
  Scenario: A changed story makes its trace suspect
    Given a trace from a story to a test
    When a revision changes the statement of the story
    Then the trace is "suspect"
    And a review makes it "valid" again

  @PQRS-29 @PQRS-45
  Scenario: A failing test shows on its story
    Given a test with "[US-1]" in its name
    When a run reports that it failed
    Then the status of US-1 is "failing"

  @PQRS-31
  Scenario: A gap is justified
    Given a story without a test
    When the need "test" is justified with a reason
    Then the status of the story is "justified"

  @PQRS-32
  Scenario: The matrix goes to an assessor
    When the traceability is read as HTML
    Then the page shows counts, gaps and the matrix
    And it loads nothing from a network

  @PQRS-33 @PQRS-34 @PQRS-35
  Scenario: A verdict on unchanged content is carried on
    Given two stories that were judged "passed"
    When a revision changes one of them
    Then the other one is "transferable", and the changed one "invalidated"
    And carrying leaves the changed one without a verdict on its present text

  @PQRS-36
  Scenario: A bundle of an unknown key is refused
    Given a bundle signed by an instance whose key is not trusted
    When the bundle is submitted
    Then the answer is 422 "untrusted_key"

  @PQRS-37
  Scenario: Passing tests validate a story
    Given a project with "autoValidate"
    When every covering test of a story passes at its present fingerprints
    Then the story is validated by the system
