// Sends the items of a sink to a search engine, in requests of a bounded size.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sinks/destination.h"
#include "sinks/search_bulk.h"
#include "sinks/search_client.h"
#include "sinks/search_index.h"

namespace partita::sinks {

// Not thread-safe. The objects that it is made of outlive it.
class SearchSender {
 public:
  // A body has at least one item, whatever its size.
  static constexpr size_t kMostBulkBytes = size_t{5} << 20;
  static constexpr size_t kMostBulkItems = 5'000;
  // An item is rejected when an engine that takes others has refused it so often, whatever the error.
  static constexpr int kMostRefusals = 10;

  SearchSender(const DestinationSettings& settings, SearchClient& client, const SearchIndexes& indexes);

  // Destination::send().
  Result<std::vector<Outcome>> send(Generation generation, std::span<const Delivery> deliveries);

  std::string document_id(std::string_view key) const;
  // As it is sent first.
  std::string document(const model::Item& item) const;
  // Whether `source` is a document that is sent of the item.
  bool is_document(const model::Item& item, std::string_view source) const;

 private:
  struct Batch;
  std::string document(const model::Item& item, std::string_view field) const;
  Result<void> send_pass(Batch& batch, std::string_view field);
  Result<void> send_range(Batch& batch, size_t first, size_t last);
  Result<void> take_reply(Batch& batch, size_t first, size_t count, std::string_view body);
  static void put_off(Batch& batch, size_t first, std::string_view reason);
  Result<void> judge_doubtful(Batch& batch);
  Result<bool> takes_probe(const Batch& batch);
  static Result<void> stop_at(Batch& batch, size_t first, const net::HttpReply& reply);
  Result<void> refuse_one(Batch& batch, size_t first, const net::HttpReply& reply);
  Result<net::HttpReply> post(const Batch& batch, std::string_view body);

  const DestinationSettings& settings_;
  SearchClient& client_;
  const SearchIndexes& indexes_;
  std::map<std::string, int, std::less<>> refusals_ = {};  // by key: how often a doubtful item was refused
};

}  // namespace partita::sinks
