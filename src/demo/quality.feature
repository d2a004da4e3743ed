Feature: Quality and execution
  # Agents run the tests of a project, and a result counts only where it can be believed.

  @PQRS-38 @PQRS-41
  Scenario: A run is recorded under its command
    Given a test command
    When a run of it with two passed results is posted
    Then the run is "passed"
    And the statistics of the command count one run

  @PQRS-39
  Scenario: A quarantine ends
    Given a command in quarantine until yesterday
    When a run of it fails
    Then its stories are "failing"

  @PQRS-40 @PQRS-50
  Scenario: A suite lends the credentials that its commands name
    Given a command that names the credential DB_PASSWORD
    When an agent claims a suite with it
    Then the answer holds the value of DB_PASSWORD
    And no other answer ever does

  Scenario Outline: A report is taken as the tool wrote it
    When a <kind> report is posted
    Then the totals of the run are those of the report

    @PQRS-42
    Examples:
      | kind  |
      | JUnit |
      | CTRF  |
      | TAP   |

  @PQRS-43
  Scenario: A report of yesterday is not the result of today
    Given a report that was written before the run started
    When it is posted with the execution of the run
    Then the run is "broken"
    And the harness errors say that the report is older than the run

  @PQRS-44
  Scenario: A test that passes and fails at one commit is flaky
    Given a run at a commit in which a test passed
    When another run at this commit and environment reports that it failed
    Then the test is in the view "flaky"

  @PQRS-46
  Scenario: A CI job reports its run
    When "pqrs report junit.xml" is run with a token file
    Then the run is recorded
    And the exit code is that of its verdict

  @PQRS-47
  Scenario: A listener resumes the stream
    Given a listener that lost its connection
    When it comes back with the last event id
    Then it gets each change since then, once

  @PQRS-48 @PQRS-50
  Scenario: Late work of a lost agent does not count
    Given an agent whose lease ran out
    And a second agent that claimed the item
    When the first agent submits its report
    Then the answer says "late"
    And the result of the item is that of the second agent

  @PQRS-49
  Scenario: The test that failed last comes first
    Given two commands of the same duration, of which one failed in the last run
    When a plan is made
    Then the one that failed is first
    And its reasons name the failure

  @PQRS-51
  Scenario: The reference agent works a plan to its end
    Given a plan of three commands
    When "pqrs agent" is started
    Then each item ends with one result

  @PQRS-52
  Scenario: Gherkin text becomes scenarios
    When a feature with two scenarios is posted as Gherkin
    Then both are listed with the stories of their tags

  @PQRS-53 @PQRS-54
  Scenario: A path that no document has is a candidate
    Given a catalog with "/users/{id}"
    When issues name "/users/12" and "/orders/7" and "/orders/8"
    Then the only candidate is "/orders/{id}"
