// What several replies of DAX's control API have.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "clusters/cluster_calls.h"
#include "clusters/groups.h"
#include "ops/operation.h"
#include "wire/json_writer.h"

namespace partita::ops {

// The members of a cluster. Addresses are those of the server that answers.
void write_cluster(wire::JsonWriter& json, const Context& context, const clusters::Cluster& cluster, int64_t now_ms);
// {"Cluster": ...}.
std::string encode_cluster(const Context& context, const clusters::ClusterAt& cluster);
// The members of a parameter group.
void write_parameter_group(wire::JsonWriter& json, const clusters::ParameterGroup& group);
std::string encode_parameter_group(const clusters::ParameterGroup& group);
// The members of a subnet group.
void write_subnet_group(wire::JsonWriter& json, const Context& context, const clusters::SubnetGroup& group);
std::string encode_subnet_group(const Context& context, const clusters::SubnetGroup& group);
// The members of a tag.
void write_cluster_tag(wire::JsonWriter& json, const std::string& key, const std::string& value);
// {"Tags": ...}.
std::string encode_cluster_tags(const clusters::Tags& tags);
std::string encode_parameters(const clusters::PageOf<clusters::Parameter>& page);
// {"DeletionMessage": ...}.
std::string encode_deletion(const std::string& message);

// `member` is a list of what `write` makes of each element, and NextToken follows.
template <class Element, class Write>
std::string encode_page(std::string_view member, const clusters::PageOf<Element>& page, Write write) {
  wire::JsonWriter json;
  json.begin_object();
  json.begin_array(member);
  for (const Element& element : page.found) {
    json.begin_object();
    write(json, element);
    json.end_object();
  }
  json.end_array();
  if (!page.next.empty()) json.member("NextToken", page.next);
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
