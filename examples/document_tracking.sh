#!/bin/bash
# Document tracking: a generic sort key. Everything about one document is one item collection, queried with the AWS CLI.
#
#   partition key  DocumentID    "contract-7"
#   sort key       documentInfo  "metadata", "permissions", and the versions "v_0", "v_1", "v_2", ...
#
# Each item has its own attributes. "v_0" is always a copy of the newest version.
#
# Usage: document_tracking.sh [--endpoint-url URL]
set -euo pipefail

endpoint=http://localhost:8000
if (($# == 2)) && [[ $1 == --endpoint-url ]]; then
  endpoint=$2
elif (($#)); then
  echo "Usage: document_tracking.sh [--endpoint-url URL]" >&2
  exit 2
fi

export AWS_PAGER="" AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}
if [[ -z ${AWS_ACCESS_KEY_ID-}${AWS_PROFILE-} && ! -e ~/.aws/credentials ]]; then
  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
fi

table=DocumentTracking
dynamodb() { aws dynamodb "$@" --endpoint-url "$endpoint"; }

# query CONDITION VALUE ATTRIBUTE...: prints these attributes of each item of the document, one item on each line.
query() {
  local condition=$1 value=$2
  shift 2
  local columns
  columns=$(printf ', %s.S' "$@")
  dynamodb query --table-name $table \
    --key-condition-expression "DocumentID = :document AND $condition" \
    --expression-attribute-values "{\":document\": {\"S\": \"contract-7\"}, \":value\": {\"S\": \"$value\"}}" \
    --query "Items[].[${columns:2}]" --output text | sed 's/^/    /'
}

# version NUMBER SORT_KEY TEXT: the item that holds a version.
version() {
  echo "{\"DocumentID\": {\"S\": \"contract-7\"}, \"documentInfo\": {\"S\": \"$2\"},
         \"Version\": {\"S\": \"$1\"}, \"Text\": {\"S\": \"$3\"}}"
}

# save NUMBER TEXT: writes a version and its copy "v_0", both or neither, and never over an existing version.
save() {
  dynamodb transact-write-items --transact-items "[
    {\"Put\": {\"TableName\": \"$table\", \"Item\": $(version "$1" "v_$1" "$2"),
               \"ConditionExpression\": \"attribute_not_exists(documentInfo)\"}},
    {\"Put\": {\"TableName\": \"$table\", \"Item\": $(version "$1" v_0 "$2")}}]" >/dev/null
}

if dynamodb delete-table --table-name $table >/dev/null 2>&1; then
  while dynamodb describe-table --table-name $table >/dev/null 2>&1; do sleep 0.1; done
fi
dynamodb create-table --table-name $table --billing-mode PAY_PER_REQUEST \
  --attribute-definitions AttributeName=DocumentID,AttributeType=S AttributeName=documentInfo,AttributeType=S \
  --key-schema AttributeName=DocumentID,KeyType=HASH AttributeName=documentInfo,KeyType=RANGE >/dev/null
until [[ $(dynamodb describe-table --table-name $table --query Table.TableStatus --output text) == ACTIVE ]]; do
  sleep 0.1
done

dynamodb batch-write-item --request-items "{\"$table\": [
  {\"PutRequest\": {\"Item\": {\"DocumentID\": {\"S\": \"contract-7\"}, \"documentInfo\": {\"S\": \"metadata\"},
                               \"Title\": {\"S\": \"Lease\"}, \"Author\": {\"S\": \"Mary Major\"}}}},
  {\"PutRequest\": {\"Item\": {\"DocumentID\": {\"S\": \"contract-7\"}, \"documentInfo\": {\"S\": \"permissions\"},
                               \"Readers\": {\"S\": \"tenants\"}, \"Writers\": {\"S\": \"lawyers\"}}}}
]}" >/dev/null
save 1 "A first draft."
save 2 "The draft, signed."

echo "The metadata"
query "documentInfo = :value" metadata documentInfo Title Author
echo "Who may read and write it"
query "documentInfo = :value" permissions documentInfo Readers Writers
echo "The whole history"
query "begins_with(documentInfo, :value)" v_ documentInfo Version Text
echo "The newest version"
query "documentInfo = :value" v_0 documentInfo Version Text
echo "Saving version 2 a second time"
if error=$(save 2 "Something else." 2>&1); then echo "    accepted"; else echo "    ${error##*operation: }"; fi
