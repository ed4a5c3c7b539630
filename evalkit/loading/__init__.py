"""Files that people write become records: suites, rubrics, golden sets, cached outputs; errors name file, line, field."""
