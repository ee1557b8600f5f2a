#!/bin/sh
set -e
awslocal dynamodb create-table --table-name Parcels --billing-mode PAY_PER_REQUEST \
  --attribute-definitions AttributeName=Parcel,AttributeType=S AttributeName=Event,AttributeType=S \
  --key-schema AttributeName=Parcel,KeyType=HASH AttributeName=Event,KeyType=RANGE \
  --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE >/dev/null
awslocal dynamodb tag-resource --resource-arn arn:aws:dynamodb:eu-central-1:000000000000:table/Parcels \
  --tags Key=team,Value=tracking
awslocal dynamodb put-item --table-name Parcels \
  --item '{"Parcel": {"S": "p-1"}, "Event": {"S": "2026-11-01"}, "Place": {"S": "Bologna"}}'
