#include "auth/account.h"

#include <algorithm>

#include "auth/text_util.h"

namespace partita::auth {

namespace {

constexpr std::array<std::string_view, kPrincipalKinds> kWords{"user", "group", "role"};

ManagedPolicy of_aws(std::string name, std::string description, std::string document) {
  ManagedPolicy policy;
  policy.arn = "arn:aws:iam::aws:policy/" + name;
  policy.id = "ANPA" + name;
  policy.name = std::move(name);
  policy.description = std::move(description);
  policy.versions.push_back({1, std::move(document), 0});
  return policy;
}

std::string allowing(std::string_view actions) {
  return R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":[)" + std::string(actions) +
         R"(],"Resource":"*"}]})";
}

}  // namespace

const PolicyVersion* ManagedPolicy::version(int64_t number) const {
  const auto found = std::ranges::find(versions, number, &PolicyVersion::number);
  return found == versions.end() ? nullptr : &*found;
}

const Principal* Account::find(PrincipalKind kind, std::string_view name) const {
  const auto& all = of(kind);
  auto found = all.find(name);
  const auto alike = [&](const auto& one) { return std::ranges::equal(one.first, name, {}, lower, lower); };
  if (found == all.end()) found = std::ranges::find_if(all, alike);
  return found == all.end() ? nullptr : found->second.get();
}

const ManagedPolicy* Account::find_policy(std::string_view arn) const {
  if (const auto found = policies.find(arn); found != policies.end()) return found->second.get();
  const auto found = policies_of_aws().find(arn);
  return found == policies_of_aws().end() ? nullptr : found->second.get();
}

std::string principal_arn(PrincipalKind kind, std::string_view path, std::string_view name) {
  std::string arn = "arn:aws:iam::" + std::string(kAccountId) + ":";
  return arn.append(kWords[static_cast<size_t>(kind)]).append(path).append(name);
}

std::string policy_arn(std::string_view path, std::string_view name) {
  std::string arn = "arn:aws:iam::" + std::string(kAccountId) + ":policy";
  return arn.append(path).append(name);
}

const Account::Named<ManagedPolicy>& policies_of_aws() {
  static const Account::Named<ManagedPolicy> all = [] {
    Account::Named<ManagedPolicy> made;
    const auto add = [&](std::string name, std::string description, std::string_view actions) {
      ManagedPolicy policy = of_aws(std::move(name), std::move(description), allowing(actions));
      std::string arn = policy.arn;
      made.emplace(std::move(arn), std::make_shared<const ManagedPolicy>(std::move(policy)));
    };
    // The reads in both of AWS's policies for DynamoDB: "AWS Managed Policy Reference Guide", version 15 of each.
    const std::string reads =
        R"("application-autoscaling:DescribeScalableTargets","application-autoscaling:DescribeScalingActivities",)"
        R"("application-autoscaling:DescribeScalingPolicies","cloudwatch:DescribeAlarmHistory",)"
        R"("cloudwatch:DescribeAlarms","cloudwatch:DescribeAlarmsForMetric","cloudwatch:GetMetricStatistics",)"
        R"("cloudwatch:ListMetrics","cloudwatch:GetMetricData",)";
    add("AdministratorAccess", "All of DynamoDB, DAX, auto scaling, CloudWatch, IAM and STS.", R"("*")");
    add("AmazonDynamoDBFullAccess", "All of DynamoDB and DAX, and auto scaling and alarms of tables.",
        reads + R"("dynamodb:*","dax:*",)"
                R"("application-autoscaling:DeleteScalingPolicy","application-autoscaling:DeregisterScalableTarget",)"
                R"("application-autoscaling:PutScalingPolicy","application-autoscaling:RegisterScalableTarget",)"
                R"("cloudwatch:DeleteAlarms","cloudwatch:PutMetricAlarm")");
    add("AmazonDynamoDBReadOnlyAccess", "Reads of DynamoDB and DAX, and of auto scaling and alarms of tables.",
        reads +
            R"("dynamodb:BatchGetItem","dynamodb:Describe*","dynamodb:List*","dynamodb:GetItem","dynamodb:GetResourcePolicy",)"
            R"("dynamodb:Query","dynamodb:Scan","dynamodb:SearchVectors","dynamodb:PartiQLSelect","dynamodb:GetRecords",)"
            R"("dynamodb:GetShardIterator","dax:Describe*","dax:List*","dax:GetItem","dax:BatchGetItem","dax:Query",)"
            R"("dax:Scan")");
    add("IAMFullAccess", "All of IAM.", R"("iam:*")");
    add("IAMReadOnlyAccess", "Reads of IAM.", R"("iam:Get*","iam:List*")");
    return made;
  }();
  return all;
}

}  // namespace partita::auth
