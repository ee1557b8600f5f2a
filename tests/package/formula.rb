# Installs a formula and runs its test with the words of Homebrew's that it uses: formula.rb FORMULA PROCESSOR PREFIX ARCHIVES
# PROCESSOR is on_intel or on_arm. Of the URL, the file of that name in the folder ARCHIVES is taken.
require "digest"
require "fileutils"
require "pathname"
require "socket"
require "tmpdir"

FILE, PROCESSOR, PREFIX, ARCHIVES = ARGV

class Pathname
  def install(*sources)
    mkpath
    sources.each do |source|
      source = { source => File.basename(source) } unless source.is_a?(Hash)
      source.each { |from, to| FileUtils.mv(from, self/to) }
    end
  end
end

class Formula
  class << self
    attr_reader :said, :tested

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |*value| value.empty? ? @said.fetch(word) : (@said ||= {})[word] = value.first }
    end
    %i[on_intel on_arm].each { |word| define_method(word) { |&block| block.call if word.to_s == PROCESSOR } }

    def depends_on(what)
      ((@said ||= {})[:needs] ||= []) << what
    end

    def service(&block) = Formula.new.instance_eval(&block)

    def test(&block) = @tested = block
  end

  def version = self.class.version
  def prefix = Pathname(PREFIX)
  def bin = prefix/"bin"
  def opt_bin = bin
  def var = prefix/"var"
  def bash_completion = prefix/"etc/bash_completion.d"
  def run(command) = command.size > 1 || raise("no command")
  def keep_alive(value) = value
  def log_path(path) = path
  def error_log_path(path) = path
  def assert_match(part, whole) = whole.include?(part) || raise("#{whole.inspect} is without #{part.inspect}")

  def shell_output(command)
    output = `#{command}`
    $?.success? ? output : raise("#{command} failed")
  end

  def free_port
    TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
  end

  def spawn(*command) = Process.spawn(*command.map(&:to_s), out: File::NULL, err: File::NULL)
end

load FILE
said = Partita.said
archive = File.join(ARCHIVES, File.basename(said.fetch(:url)))
raise "#{archive} has another checksum" unless Digest::SHA256.file(archive).hexdigest == said.fetch(:sha256)

Dir.mktmpdir do |folder|
  system("tar", "-xzf", archive, "-C", folder) || raise("not unpacked")
  Dir.chdir(File.join(folder, Dir.children(folder).fetch(0))) { Partita.new.install }
end
Partita.new.instance_eval(&Partita.tested)
puts said.fetch(:version), said.fetch(:url), said.fetch(:needs).inspect
