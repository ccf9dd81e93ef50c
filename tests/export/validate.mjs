// node validate.mjs SCHEMA FILE: checks a JSON file against a JSON schema, prints what is wrong.
import fs from "node:fs";
import Ajv from "ajv";

const [schema, file] = process.argv.slice(2).map((path) => JSON.parse(fs.readFileSync(path)));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
if (!validate(file)) {
  console.error(JSON.stringify(validate.errors.slice(0, 5), null, 1));
  process.exit(1);
}
