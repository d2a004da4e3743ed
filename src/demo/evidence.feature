Feature: Issues, evidence and logs
  # What went wrong is filed with its evidence, counted once, and followed to its end.

  @PQRS-55 @PQRS-56
  Scenario: An issue goes from report to end
    Given an issue that was filed
    When it is triaged, resolved as fixed, verified and closed
    Then its history has each of these moves with who made it

  @PQRS-56
  Scenario: A move that is not listed is refused
    Given an issue that is closed
    When it is moved to "verified"
    Then the answer is 409 "illegal_transition"

  @PQRS-57
  Scenario: The same fault in another line is a duplicate
    Given an issue with the error "undefined is not a function (line 42)"
    When an issue with the same route and "(line 57)" is filed
    Then the new one is closed as a duplicate
    And the first one counts two occurrences

  @PQRS-57
  Scenario: A fault comes back after its fix
    Given an issue that was resolved as fixed in build 8
    When the same fault is filed from build 9
    Then the first issue is open again, as a regression

  @PQRS-58
  Scenario: A phrase is found
    Given issues with the titles "Login page is blank" and "Blank page at login"
    When issues are searched for the phrase "login page"
    Then only the first one is found

  @PQRS-59 @PQRS-94
  Scenario: A page reports and reads nothing back
    Given a token with widget:write
    When it files an issue
    Then it is answered with the id and what it sent
    And reading issues with it is 403

  @PQRS-60 @PQRS-62
  Scenario: A screenshot opens by its link
    Given an issue with a screenshot attached
    When its link is opened without a token
    Then the picture is shown
    And with one character of the signature changed the answer is 403

  @PQRS-61
  Scenario: A page that calls itself a picture is downloaded
    Given an HTML file that was attached as "photo.png"
    When its link is opened
    Then it is sent as a download, under a sandbox policy

  @PQRS-63 @PQRS-64
  Scenario: A line of ten thousand is found
    Given 10,000 log entries sent as NDJSON
    When the logs are searched for a word of one of them
    Then that entry is found

  @PQRS-65
  Scenario: A refusal is noted
    When a widget token reads issues twice in one minute
    Then the logs of its project have one entry of the source "pqrs"
